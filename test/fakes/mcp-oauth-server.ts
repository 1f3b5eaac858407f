/** A tool server behind a login, and who grants it, for tests: it checks what it is sent as the standards say. */
import { createHash } from 'node:crypto';
import { type JsonAnswer, type JsonRequest, type JsonServer, type Routes, startJsonServer } from './json-server.ts';

type Json = Record<string, unknown>;

interface Client {
  readonly client_id: string;
  readonly client_secret?: string;
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method?: string;
}

interface Grant {
  readonly client: Client;
  readonly scope: string;
  readonly challenge: string;
  readonly redirectUri: string;
  readonly resource: string | null;
}

export interface McpOAuthServer extends JsonServer {
  /** Of the tool server. */
  readonly mcp: string;
  /** Everything that must never be shown. */
  readonly secrets: ReadonlySet<string>;
  /** Settings of a test; may be changed at any time. */
  readonly settings: {
    /** What a call of a tool needs. */
    callScope?: string;
    /** Seconds. */
    expiresIn: number;
    /** Default: the address of the server itself. */
    authorizationServer?: string;
    /** Laid over what the documents say. */
    resourceMetadata: Json;
    metadata: Json;
    /** Names that are not in the documents: an old server has no such pages. */
    hasResourceMetadata: boolean;
    hasMetadata: boolean;
    hasRegistration: boolean;
    /** Everybody may list tools. */
    isOpen: boolean;
    /** Refresh tokens are given. */
    givesRefresh: boolean;
    iss: string | undefined;
  };
  /** Clients that the owner registered by hand. */
  readonly clients: Map<string, Client>;
  /** What a browser does with the address of a login: the person agrees. Where it is sent back to. */
  agree(authorizeUrl: string): Promise<URL>;
  /** The tokens that are good now. */
  readonly accessTokens: Map<string, { readonly scope: string; readonly endsAt: number }>;
  revokeAll(): void;
  /** How often a token was asked for, by its grant. */
  asked(grantType: string): number;
}

export async function startMcpOAuthServer(more: Routes = {}): Promise<McpOAuthServer> {
  const server = await startJsonServer();
  const mcp = `${server.url}/mcp`;
  const secrets = new Set<string>();
  const clients = new Map<string, Client>();
  const codes = new Map<string, Grant>();
  const refreshTokens = new Map<string, Omit<Grant, 'challenge' | 'redirectUri'>>();
  const accessTokens = new Map<string, { scope: string; endsAt: number }>();
  let counter = 0;
  const settings: McpOAuthServer['settings'] = {
    expiresIn: 3600,
    resourceMetadata: {},
    metadata: {},
    hasResourceMetadata: true,
    hasMetadata: true,
    hasRegistration: true,
    isOpen: false,
    givesRefresh: true,
    iss: server.url,
  };

  function secret(kind: string): string {
    counter += 1;
    const value = `${kind}-hidden-${counter}-0123456789`;
    secrets.add(value);
    return value;
  }

  function tokensFor({ client, scope, resource }: Omit<Grant, 'challenge' | 'redirectUri'>): JsonAnswer {
    const access = secret('access');
    accessTokens.set(access, { scope, endsAt: Date.now() + settings.expiresIn * 1000 });
    const refresh = secret('refresh');
    if (settings.givesRefresh) refreshTokens.set(refresh, { client, scope, resource });
    return {
      headers: { 'cache-control': 'no-store' },
      body: {
        access_token: access,
        token_type: 'Bearer',
        expires_in: settings.expiresIn,
        scope,
        ...(settings.givesRefresh ? { refresh_token: refresh } : {}),
      },
    };
  }

  /** The client of a token request, as its registration says that it proves itself. */
  function clientOf({ headers }: JsonRequest, form: URLSearchParams): Client | undefined {
    const [id = '', key = ''] = headers.authorization?.startsWith('Basic ')
      ? Buffer.from(headers.authorization.slice(6), 'base64').toString().split(':')
      : [form.get('client_id') ?? '', form.get('client_secret') ?? ''];
    const client = clients.get(id);
    return client !== undefined && (client.client_secret ?? '') === key ? client : undefined;
  }

  function token(request: JsonRequest): JsonAnswer {
    const form = new URLSearchParams(request.body);
    const client = clientOf(request, form);
    if (client === undefined) return no(401, 'invalid_client');
    if (settings.hasResourceMetadata && form.get('resource') !== mcp) return no(400, 'invalid_target');
    if (form.get('grant_type') === 'refresh_token') {
      const given = form.get('refresh_token') ?? '';
      const known = refreshTokens.get(given);
      // Good for one time.
      refreshTokens.delete(given);
      if (known?.client.client_id !== client.client_id) return no(400, 'invalid_grant', `${given} was revoked`);
      return tokensFor(known);
    }
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const verifier = form.get('code_verifier') ?? '';
    secrets.add(verifier);
    const isGood =
      grant?.client.client_id === client.client_id &&
      grant.redirectUri === form.get('redirect_uri') &&
      grant.challenge === createHash('sha256').update(verifier).digest('base64url');
    return grant !== undefined && isGood ? tokensFor(grant) : no(400, 'invalid_grant', 'bad code');
  }

  function register(request: JsonRequest): JsonAnswer {
    if (!settings.hasRegistration) return no(403, 'access_denied');
    const asked = JSON.parse(request.body) as Client & Json;
    if (asked.redirect_uris.length === 0) return no(400, 'invalid_redirect_uri');
    const isPublic = asked.token_endpoint_auth_method === 'none';
    const client = {
      ...asked,
      client_id: `client-${++counter}`,
      ...(isPublic ? {} : { client_secret: secret('client') }),
    };
    clients.set(client.client_id, client);
    return { status: 201, body: { ...client, client_id_issued_at: 1 } };
  }

  function authorize(request: JsonRequest): JsonAnswer {
    const { searchParams: asked } = new URL(request.path, server.url);
    const client = clients.get(asked.get('client_id') ?? '');
    const redirectUri = asked.get('redirect_uri') ?? '';
    if (client?.redirect_uris.includes(redirectUri) !== true) return { status: 400, body: 'unknown client' };
    if (asked.get('code_challenge_method') !== 'S256') return { status: 400, body: 'no PKCE' };
    if (settings.hasResourceMetadata && asked.get('resource') !== mcp) return { status: 400, body: 'another resource' };
    const code = secret('code');
    codes.set(code, {
      client,
      scope: asked.get('scope') ?? '',
      challenge: asked.get('code_challenge') ?? '',
      redirectUri,
      resource: asked.get('resource'),
    });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    if (settings.iss !== undefined) back.searchParams.set('iss', settings.iss);
    return { status: 302, headers: { location: back.href }, body: '' };
  }

  function call(request: JsonRequest): JsonAnswer {
    const { id, method, params } = JSON.parse(request.body) as { id?: number; method: string; params?: Json };
    const known = accessTokens.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
    const about = `resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`;
    const pointer = settings.hasResourceMetadata ? `, ${about}` : '';
    if (!settings.isOpen && (known === undefined || known.endsAt <= Date.now())) {
      return { status: 401, headers: { 'www-authenticate': `Bearer error="invalid_token"${pointer}` }, body: '' };
    }
    const needed = settings.callScope;
    if (method === 'tools/call' && needed !== undefined && !known?.scope.split(' ').includes(needed)) {
      const why = `Bearer error="insufficient_scope", scope="${needed}"${pointer}`;
      return { status: 403, headers: { 'www-authenticate': why }, body: '' };
    }
    if (id === undefined) return { status: 202, body: '' };
    const results: Json = {
      initialize: {
        protocolVersion: params?.['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' },
      },
      'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'let in' }] },
    };
    return { body: { jsonrpc: '2.0', id, result: results[method] ?? {} } };
  }

  const about = (): JsonAnswer =>
    settings.hasResourceMetadata
      ? {
          body: {
            resource: mcp,
            authorization_servers: [settings.authorizationServer ?? server.url],
            scopes_supported: ['read'],
            ...settings.resourceMetadata,
          },
        }
      : { status: 404 };
  const metadata = (): JsonAnswer =>
    settings.hasMetadata
      ? {
          body: {
            issuer: server.url,
            authorization_endpoint: `${server.url}/authorize`,
            token_endpoint: `${server.url}/token`,
            ...(settings.hasRegistration ? { registration_endpoint: `${server.url}/register` } : {}),
            response_types_supported: ['code'],
            code_challenge_methods_supported: ['S256'],
            token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
            authorization_response_iss_parameter_supported: true,
            ...settings.metadata,
          },
        }
      : { status: 404 };

  server.answer({
    'GET /mcp': { status: 405 },
    'DELETE /mcp': { status: 405 },
    'POST /mcp': call,
    'GET /.well-known/oauth-protected-resource/mcp': about,
    'GET /.well-known/oauth-protected-resource': about,
    'GET /.well-known/oauth-authorization-server': metadata,
    'POST /register': register,
    'GET /authorize': authorize,
    'POST /token': token,
    ...more,
  });
  return {
    ...server,
    mcp,
    secrets,
    settings,
    clients,
    accessTokens,
    async agree(authorizeUrl) {
      const answer = await fetch(authorizeUrl, { redirect: 'manual' });
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`no way back: HTTP ${answer.status} ${await answer.text()}`);
      return new URL(location);
    },
    revokeAll() {
      accessTokens.clear();
      refreshTokens.clear();
    },
    asked: (grantType) =>
      server.requests.filter(({ path, body }) => path === '/token' && body.includes(`grant_type=${grantType}`)).length,
  };
}

function no(status: number, error: string, description?: string): JsonAnswer {
  return { status, body: { error, ...(description === undefined ? {} : { error_description: description }) } };
}
