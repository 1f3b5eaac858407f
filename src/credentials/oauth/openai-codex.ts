/** The login of ChatGPT for Codex: a device code of OpenAI's own making, then an ordinary exchange. */
import * as z from 'zod';
import type { JsonObject } from '../../lib/json.ts';
import { clientIdOf } from './client-id.ts';
import { exchangeCode, type Granted, type Grantor, refreshGrant } from './grants.ts';
import { jwtClaims } from './jwt.ts';
import type { LoginContext, LoginOptions, OAuthLogin, TokenSet } from './login.ts';
import { pollUntilGranted } from './poll.ts';
import { garbled, ServiceError } from './service-error.ts';
import { showUserCode } from './show-code.ts';
import { createWire } from './wire.ts';

const service = 'OpenAI';
const issuer = 'https://auth.openai.com';
const openForSeconds = 15 * 60;
const slowestAllowedMs = 3000;

/** `HERMES_CODEX_CLIENT_ID` names another client. Only the id is OpenAI's public one: we never claim its program's name. */
export function codexLogin(context: LoginContext): OAuthLogin {
  const grantor: Grantor = {
    provider: 'openai-codex',
    wire: createWire(service, context, 'HERMES_CODEX_REFRESH_TIMEOUT_SECONDS'),
    issuer,
    tokenEndpoint: `${issuer}/oauth/token`,
    clientId: clientIdOf(context.variables, {
      variable: 'HERMES_CODEX_CLIENT_ID',
      known: 'app_EMoamEEZ73f0CkXaXp7hrann',
      service,
      instead: 'Set OPENAI_API_KEY.',
    }),
  };
  return {
    provider: 'openai-codex',
    async start(options) {
      return withAccount(await login(grantor, options));
    },
    async refresh(tokens, signal) {
      return withAccount(await refreshGrant(grantor, tokens, signal));
    },
  };
}

/** The account that a token belongs to, as fields to be stored; requests have to name it. */
export function accountFields(idToken: unknown, accessToken: string): JsonObject {
  for (const token of [idToken, accessToken]) {
    const claims = typeof token === 'string' ? jwtClaims(token) : undefined;
    const parsed = accountSchema.safeParse(claims);
    if (parsed.success) return { account_id: parsed.data['https://api.openai.com/auth'].chatgpt_account_id };
  }
  return {};
}

const accountSchema = z.object({
  'https://api.openai.com/auth': z.object({ chatgpt_account_id: z.string().min(1).max(200) }),
});

const startSchema = z.object({
  device_auth_id: z.string().min(1),
  user_code: z.string().min(1).exactOptional(),
  usercode: z.string().min(1).exactOptional(),
  interval: z.coerce.number().optional().catch(undefined),
});

const agreedSchema = z.object({ authorization_code: z.string().min(1), code_verifier: z.string().min(1) });

async function login(grantor: Grantor, options: LoginOptions): Promise<Granted> {
  const { wire } = grantor;
  const { signal } = options;
  const host = new URL(issuer).host;
  const started = startSchema.safeParse(await askForCode(grantor, signal));
  const userCode = started.data?.user_code ?? started.data?.usercode;
  if (!started.success || userCode === undefined) throw garbled(service, host, 200, 'no code to show');
  const url = `${issuer}/codex/device`;
  const deadline = wire.now() + openForSeconds * 1000;
  await showUserCode(grantor, options, { url, completeUrl: url, userCode, expiresInSeconds: openForSeconds });
  const { authorization_code: code, code_verifier: verifier } = await pollUntilGranted(grantor, {
    intervalMs: Math.max(slowestAllowedMs, (started.data.interval ?? 5) * 1000),
    deadline,
    signal,
    ask: async () => await askWhetherAgreed(grantor, started.data.device_auth_id, userCode, signal),
  });
  return await exchangeCode(grantor, { code, verifier, redirectUri: `${issuer}/deviceauth/callback` }, signal);
}

async function askForCode({ wire, clientId }: Grantor, signal: AbortSignal): Promise<JsonObject> {
  try {
    return await wire.postJson(`${issuer}/api/accounts/deviceauth/usercode`, { client_id: clientId }, { signal });
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.status !== 404 && error.status !== 403)) throw error;
    throw new ServiceError(
      `${service} does not offer logins by code to this account (HTTP ${error.status})`,
      { status: error.status },
      {
        hint: 'Allow device code logins in the security settings of ChatGPT, or set OPENAI_API_KEY.',
      },
    );
  }
}

async function askWhetherAgreed(
  { wire }: Grantor,
  deviceAuthId: string,
  userCode: string,
  signal: AbortSignal,
): Promise<z.infer<typeof agreedSchema>> {
  const url = `${issuer}/api/accounts/deviceauth/token`;
  try {
    const answer = await wire.postJson(url, { device_auth_id: deviceAuthId, user_code: userCode }, { signal });
    const agreed = agreedSchema.safeParse(answer);
    if (agreed.success) return agreed.data;
    throw garbled(service, new URL(url).host, 200, 'neither a code nor a refusal');
  } catch (error) {
    // OpenAI says "not yet" with 403 and 404, whatever stands in the body.
    if (!(error instanceof ServiceError) || (error.status !== 403 && error.status !== 404)) throw error;
    throw new ServiceError('not yet', { status: error.status, code: 'authorization_pending' });
  }
}

function withAccount({ tokens, body }: Granted): TokenSet {
  return { ...tokens, extra: { ...tokens.extra, ...accountFields(body['id_token'], tokens.accessToken) } };
}
