/** The login of MiniMax: a code to confirm in the browser, bound to a PKCE challenge. */
import * as z from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { clientIdOf } from './client-id.ts';
import { askWithGrant, type Granted, type Grantor, partiesOf, refreshGrant } from './grants.ts';
import type { LoginContext, LoginOptions, OAuthLogin } from './login.ts';
import { pollUntilGranted } from './poll.ts';
import { garbled, refused, ServiceError } from './service-error.ts';
import { showUserCode } from './show-code.ts';
import { createWire, readObject } from './wire.ts';

const service = 'MiniMax';
/** `api.minimax.io/oauth/code` and `/oauth/token` of older documents lead here since May 2026. */
const issuer = 'https://account.minimax.io';
const codeEndpoint = `${issuer}/oauth2/device/code`;
const grantType = 'urn:ietf:params:oauth:grant-type:user_code';
const maxMs = 30 * 60_000;

/**
 * `HERMES_MINIMAX_CLIENT_ID` is needed: the id in circulation is registered for another vendor's program, whose name
 * the page of confirmation would show. Throws `UserError` without it.
 */
export function minimaxLogin(context: LoginContext): OAuthLogin {
  const wire = createWire(service, context);
  const grantor: Grantor = {
    provider: 'minimax-oauth',
    wire,
    issuer,
    deviceEndpoint: codeEndpoint,
    tokenEndpoint: `${issuer}/oauth2/token`,
    clientId: clientIdOf(context.variables, {
      variable: 'HERMES_MINIMAX_CLIENT_ID',
      service,
      instead: 'Set MINIMAX_API_KEY and use provider `minimax`.',
    }),
    translate: (answer) => translate(answer, wire.now()),
  };
  return {
    provider: 'minimax-oauth',
    async start(options) {
      return (await login(grantor, options)).tokens;
    },
    async refresh(tokens, signal) {
      return (await refreshGrant(grantor, tokens, signal)).tokens;
    },
  };
}

const startSchema = z.object({
  user_code: z.string().min(1),
  verification_uri: z.string().min(1),
  expired_in: z.coerce.number().positive(),
  /** Milliseconds. */
  interval: z.coerce.number().positive().optional().catch(undefined),
  state: z.string(),
});

async function login(grantor: Grantor, options: LoginOptions): Promise<Granted> {
  const oauth = await import('oauth4webapi');
  const { wire } = grantor;
  const { signal } = options;
  const verifier = oauth.generateRandomCodeVerifier();
  const started = await askForCode(grantor, verifier, signal);
  const expiresAt = Math.min(momentOf(started.expired_in, wire.now()), wire.now() + maxMs);
  await showUserCode(grantor, options, {
    url: started.verification_uri,
    completeUrl: started.verification_uri,
    userCode: started.user_code,
    expiresInSeconds: (expiresAt - wire.now()) / 1000,
  });
  return await pollUntilGranted(grantor, {
    intervalMs: Math.max(started.interval ?? 0, 2000),
    deadline: expiresAt,
    signal,
    ask: async () =>
      await askWithGrant(grantor, grantType, { user_code: started.user_code, code_verifier: verifier }, signal),
  });
}

async function askForCode(
  grantor: Grantor,
  verifier: string,
  signal: AbortSignal,
): Promise<z.infer<typeof startSchema>> {
  const oauth = await import('oauth4webapi');
  const { server, client } = partiesOf(grantor);
  const state = oauth.generateRandomState();
  const response = await oauth.deviceAuthorizationRequest(
    server,
    client,
    oauth.None(),
    {
      response_type: 'code',
      scope: 'group_id profile model.completion',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    },
    { signal, [oauth.customFetch]: grantor.wire.fetch },
  );
  const answer = await readObject(response, { service, url: codeEndpoint, secrets: [verifier] });
  const started = startSchema.safeParse(answer);
  const { host } = new URL(issuer);
  if (!started.success) throw garbled(service, host, response.status, 'no code to show');
  if (started.data.state !== state) throw garbled(service, host, response.status, 'the state of another login');
  return started.data;
}

/** Answers have a `status`, and say with `expired_in` when the token ends. */
function translate(answer: JsonObject, now: number): JsonObject {
  const { status, expired_in: expiredIn } = answer;
  if (status === 'error') throw refused(service, 400, answer, []);
  if (status !== undefined && status !== 'success') {
    throw new ServiceError('not yet', { status: 400, code: 'authorization_pending' });
  }
  const ends = Number(expiredIn);
  if (!Number.isFinite(ends) || ends <= 0) return answer;
  return { ...answer, expires_in: Math.max(1, Math.floor((momentOf(ends, now) - now) / 1000)) };
}

/** Milliseconds since 1970 from whichever of the three the service means: that, seconds since 1970, seconds from now. */
function momentOf(value: number, now: number): number {
  if (value > 1e12) return value;
  return value > 1e9 ? value * 1000 : now + value * 1000;
}
