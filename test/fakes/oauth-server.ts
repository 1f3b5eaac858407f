/** The login services of several providers for tests: a real HTTP server that checks what it is sent as they do. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoginRequest {
  readonly host: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Of a form or a JSON object. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Text is sent as it is, everything else as JSON. */
export interface RawAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The answer never comes. */
  readonly hang?: boolean;
  /** The connection is cut. */
  readonly cut?: boolean;
}

/** What the person does while the program asks; one a poll, the last one stays. */
export type Step = 'pending' | 'slow_down' | 'denied' | 'expired' | 'agreed';

type Route = (request: LoginRequest) => RawAnswer;

export type LoginServer = Awaited<ReturnType<typeof startLoginServer>>;

export async function startLoginServer() {
  const requests: LoginRequest[] = [];
  const secrets = new Set<string>();
  const instead = new Map<string, RawAnswer[]>();
  const settings = {
    steps: ['agreed'] as Step[],
    /** Scopes that the portal knows. */
    portalScopes: ['inference:invoke'],
    deviceAnswer: {} as object,
    tokenAnswer: {} as object,
  };
  const logins = new Map<string, { scope: string; challenge?: string; clientId: string }>();
  const refreshTokens = new Set<string>();
  let counter = 0;

  /** A value that must never be shown. */
  function secret(kind: string): string {
    counter += 1;
    const value = `${kind}-hidden-${counter}-0123456789`;
    secrets.add(value);
    return value;
  }

  function refreshToken(): string {
    const token = secret('refresh');
    refreshTokens.add(token);
    return token;
  }

  function step(): Step {
    return (settings.steps.length > 1 ? settings.steps.shift() : settings.steps[0]) ?? 'agreed';
  }

  function jwt(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'RS256' })}.${part({ ...claims, n: ++counter })}.signature-hidden`;
    secrets.add(token);
    return token;
  }

  /** Refresh tokens are good for one time. */
  function redeem(token: string | undefined): boolean {
    return token !== undefined && refreshTokens.delete(token);
  }

  const errors: Record<Exclude<Step, 'agreed'>, string> = {
    pending: 'authorization_pending',
    slow_down: 'slow_down',
    denied: 'access_denied',
    expired: 'expired_token',
  };

  function standardDevice(base: object) {
    return ({ fields }: LoginRequest): RawAnswer => {
      const { client_id: clientId, scope = '' } = fields;
      if (!clientId) return no(400, 'invalid_client');
      const deviceCode = secret('device');
      logins.set(deviceCode, { scope, clientId });
      return {
        body: {
          device_code: deviceCode,
          user_code: 'WDJB-MJHT',
          expires_in: 900,
          interval: 5,
          ...base,
          ...settings.deviceAnswer,
        },
      };
    };
  }

  const routes: Record<string, Route> = {
    'portal.nousresearch.com/api/oauth/device/code': (request) => {
      if (!settings.portalScopes.includes(request.fields['scope'] ?? '')) return no(400, 'invalid_scope');
      return standardDevice({
        verification_uri: 'https://portal.nousresearch.com/device',
        verification_uri_complete: 'https://portal.nousresearch.com/device?user_code=WDJB-MJHT',
      })(request);
    },
    'portal.nousresearch.com/api/oauth/token': ({ fields, headers }) => {
      const grant = (scope: string): RawAnswer => ({
        body: {
          access_token: scope === 'inference:invoke' ? jwt({ scope }) : secret('access'),
          refresh_token: refreshToken(),
          token_type: 'Bearer',
          expires_in: 900,
          ...settings.tokenAnswer,
        },
      });
      if (fields['grant_type'] === 'refresh_token') {
        if ('refresh_token' in fields) return no(400, 'invalid_request', 'the refresh token belongs in its header');
        const token = headers['x-nous-refresh-token'];
        if (!redeem(typeof token === 'string' ? token : undefined)) {
          return no(400, 'invalid_grant', 'Refresh token reuse detected; please re-authenticate');
        }
        return grant(settings.portalScopes[0] ?? '');
      }
      return poll(fields, 400, grant);
    },
    'portal.nousresearch.com/api/oauth/agent-key': ({ fields, headers }) => {
      const bearer = headers.authorization?.replace(/^Bearer /, '') ?? '';
      if (!secrets.has(bearer)) return no(401, 'invalid_token');
      const seconds = Number(fields['min_ttl_seconds']);
      if (!Number.isInteger(seconds)) return no(400, 'invalid_request');
      return { body: { api_key: secret('agent-key'), key_id: 'key_1', expires_in: seconds + 1, reused: false } };
    },
    'github.com/login/device/code': standardDevice({ verification_uri: 'https://github.com/login/device' }),
    'github.com/login/oauth/access_token': ({ fields }) => {
      // GitHub says no with status 200.
      const grant = (scope: string): RawAnswer => ({
        body: { access_token: secret('gho'), token_type: 'bearer', scope, ...settings.tokenAnswer },
      });
      if (fields['grant_type'] !== 'refresh_token') return poll(fields, 200, grant);
      return redeem(fields['refresh_token']) ? grant('') : no(200, 'bad_refresh_token');
    },
    'auth.openai.com/api/accounts/deviceauth/usercode': ({ fields, headers }) => {
      if (!isJson(headers) || !fields['client_id']) return no(400, 'invalid_request');
      const id = secret('deviceauth');
      logins.set(id, { scope: '', clientId: fields['client_id'] });
      return { body: { device_auth_id: id, user_code: 'ABCD-12345', interval: '5', ...settings.deviceAnswer } };
    },
    'auth.openai.com/api/accounts/deviceauth/token': ({ fields, headers }) => {
      const login = logins.get(fields['device_auth_id'] ?? '');
      if (!isJson(headers) || login === undefined || fields['user_code'] !== 'ABCD-12345')
        return no(400, 'invalid_request');
      const now = step();
      if (now === 'pending')
        return { status: 403, body: { error: { message: 'not yet', code: 'deviceauth_pending' } } };
      if (now === 'slow_down')
        return { status: 404, body: '<html>Not found</html>', headers: { 'content-type': 'text/html' } };
      if (now !== 'agreed') return no(400, errors[now]);
      const verifier = secret('verifier');
      const code = secret('code');
      logins.set(code, { ...login, challenge: s256(verifier) });
      return { body: { authorization_code: code, code_verifier: verifier, code_challenge: s256(verifier) } };
    },
    'auth.openai.com/oauth/token': ({ fields }) => {
      const account = { 'https://api.openai.com/auth': { chatgpt_account_id: 'account-1' } };
      const body = () => ({
        id_token: jwt({ ...account, iss: 'https://auth.openai.com' }),
        access_token: jwt({ exp: 2_000_000_000 }),
        refresh_token: refreshToken(),
        ...settings.tokenAnswer,
      });
      if (fields['grant_type'] === 'refresh_token') {
        if (redeem(fields['refresh_token'])) return { body: body() };
        return { status: 401, body: { error: { message: 'It was used before.', code: 'refresh_token_reused' } } };
      }
      if (fields['redirect_uri'] !== 'https://auth.openai.com/deviceauth/callback') return no(400, 'invalid_request');
      return exchange(fields, body);
    },
    'auth.x.ai/oauth2/token': ({ fields }) => {
      const body = () => ({
        access_token: secret('access'),
        refresh_token: refreshToken(),
        token_type: 'Bearer',
        expires_in: 21_600,
        id_token: 'not.evaluated.here',
        ...settings.tokenAnswer,
      });
      if (fields['grant_type'] !== 'refresh_token') return exchange(fields, body);
      return redeem(fields['refresh_token'])
        ? { body: body() }
        : no(400, 'invalid_grant', 'Refresh token has been revoked');
    },
    'account.minimax.io/oauth2/device/code': ({ fields }) => {
      const {
        code_challenge: challenge,
        code_challenge_method: method,
        client_id: clientId,
        state,
        response_type,
      } = fields;
      if (!challenge || method !== 'S256' || !clientId || response_type !== 'code') return no(400, 'invalid_request');
      logins.set('MM-1234', { scope: fields['scope'] ?? '', challenge, clientId });
      return {
        body: {
          user_code: 'MM-1234',
          verification_uri: 'https://platform.minimax.io/oauth-authorize?user_code=MM-1234',
          expired_in: 1_800_000_600_000,
          interval: 3000,
          state,
          ...settings.deviceAnswer,
        },
      };
    },
    'account.minimax.io/oauth2/token': ({ fields }) => {
      const body = {
        status: 'success',
        access_token: secret('access'),
        refresh_token: refreshToken(),
        expired_in: 1_800_007_200_000,
        ...settings.tokenAnswer,
      };
      if (fields['grant_type'] === 'refresh_token') {
        return redeem(fields['refresh_token']) ? { body } : no(400, 'invalid_grant');
      }
      const login = logins.get(fields['user_code'] ?? '');
      if (fields['grant_type'] !== 'urn:ietf:params:oauth:grant-type:user_code')
        return no(400, 'unsupported_grant_type');
      if (login === undefined || s256(fields['code_verifier'] ?? '') !== login.challenge)
        return no(400, 'invalid_request');
      const now = step();
      if (now === 'pending') return { body: { status: 'pending' } };
      if (now === 'agreed') return { body };
      if (now === 'slow_down') return no(400, 'slow_down');
      return { body: { status: 'error', base_resp: { status_code: 1004, status_msg: `login ${now}` } } };
    },
  };

  function poll(
    fields: Readonly<Record<string, string>>,
    refusal: number,
    grant: (scope: string) => RawAnswer,
  ): RawAnswer {
    if (fields['grant_type'] !== 'urn:ietf:params:oauth:grant-type:device_code')
      return no(refusal, 'unsupported_grant_type');
    const login = logins.get(fields['device_code'] ?? '');
    if (login === undefined || login.clientId !== fields['client_id']) return no(refusal, 'invalid_grant');
    const now = step();
    return now === 'agreed' ? grant(login.scope) : no(refusal, errors[now]);
  }

  function exchange(fields: Readonly<Record<string, string>>, body: () => object): RawAnswer {
    const login = logins.get(fields['code'] ?? '');
    const matches = login?.challenge === s256(fields['code_verifier'] ?? '') && login.clientId === fields['client_id'];
    if (fields['grant_type'] !== 'authorization_code' || !matches)
      return no(400, 'invalid_grant', `bad code ${fields['code']}`);
    logins.delete(fields['code'] ?? '');
    secrets.add(fields['code_verifier'] ?? '');
    return { body: body() };
  }

  const server = createServer((incoming, response) => {
    response.on('error', () => {});
    let text = '';
    incoming.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    incoming.on('end', () => {
      const [, host = '', ...rest] = (incoming.url ?? '').split('/');
      const path = `/${rest.join('/')}`;
      const fields: Record<string, string> = isJson(incoming.headers)
        ? JSON.parse(text || '{}')
        : Object.fromEntries(new URLSearchParams(text));
      const request = { host, path, headers: incoming.headers, fields };
      requests.push(request);
      const route = routes[`${host}${path}`] ?? (() => no(404, 'not_found'));
      const answer = instead.get(path)?.shift() ?? (incoming.method === 'POST' ? route(request) : no(405, 'method'));
      if (answer.hang === true) return;
      if (answer.cut === true) {
        response.destroy();
        return;
      }
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? null));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    requests,
    /** Everything that was handed out or received and must not be shown to anybody. */
    secrets: secrets as ReadonlySet<string>,
    settings,
    /** Reaches this server whatever host is asked; only encrypted addresses are taken. */
    fetch: (async (input: string | URL | Request, init?: RequestInit) => {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.protocol !== 'https:') throw new Error(`not encrypted: ${url.href}`);
      return await fetch(`${origin}/${url.host}${url.pathname}${url.search}`, init);
    }) as typeof fetch,
    /** The next requests for a path get these answers, whatever they say. */
    answerInstead(path: string, ...answers: RawAnswer[]) {
      instead.set(path, [...(instead.get(path) ?? []), ...answers]);
    },
    /** A person agrees in the browser; the address that it is sent back to. */
    agree(authorizeUrl: string): URL {
      const { searchParams } = new URL(authorizeUrl);
      const code = secret('code');
      const challenge = searchParams.get('code_challenge') ?? '';
      logins.set(code, {
        scope: searchParams.get('scope') ?? '',
        challenge,
        clientId: searchParams.get('client_id') ?? '',
      });
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      return back;
    },
    /** A refresh token of an earlier login. */
    refreshToken,
    jwt,
    secret,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function no(status: number, error: string, description?: string): RawAnswer {
  return { status, body: { error, ...(description === undefined ? {} : { error_description: description }) } };
}

function isJson(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('application/json') === true;
}

function s256(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
