/**
 * The grants of OAuth 2.0 that give tokens, over one wire: authorization code, device code, refresh token.
 * https://www.rfc-editor.org/rfc/rfc6749
 */
import type { AuthorizationServer, Client, TokenEndpointResponse } from 'oauth4webapi';
import type { JsonObject } from '../../lib/json.ts';
import { expiryClaim } from './jwt.ts';
import { RefreshError, type TokenSet } from './login.ts';
import { garbled, ServiceError } from './service-error.ts';
import { readObject, type Wire } from './wire.ts';

/** Where a provider answers, and as whom we ask. */
export interface Grantor {
  /** Provider id, for hints. */
  readonly provider: string;
  readonly wire: Wire;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly authorizationEndpoint?: string;
  readonly deviceEndpoint?: string;
  readonly clientId: string;
  /** Puts an answer of the service's own form into OAuth's; throws `ServiceError` when it says no. */
  readonly translate?: (answer: JsonObject) => JsonObject;
}

export interface Granted {
  readonly tokens: TokenSet;
  /** The whole answer, for what a provider adds to it. */
  readonly body: JsonObject;
}

/** The server and the client as the OAuth library wants them. */
export function partiesOf(grantor: Grantor): { readonly server: AuthorizationServer; readonly client: Client } {
  const { issuer, tokenEndpoint, authorizationEndpoint, deviceEndpoint, clientId } = grantor;
  const server = {
    issuer,
    token_endpoint: tokenEndpoint,
    ...(authorizationEndpoint === undefined ? {} : { authorization_endpoint: authorizationEndpoint }),
    ...(deviceEndpoint === undefined ? {} : { device_authorization_endpoint: deviceEndpoint }),
  };
  return { server, client: { client_id: clientId } };
}

/** Changes the code of an answered authorization request, already checked, for tokens. Throws `ServiceError`. */
export async function exchangeCode(
  grantor: Grantor,
  exchange: { readonly code: string; readonly verifier: string; readonly redirectUri: string },
  signal: AbortSignal,
): Promise<Granted> {
  const oauth = await import('oauth4webapi');
  const { server, client } = partiesOf(grantor);
  const checked = oauth.validateAuthResponse(server, client, new URLSearchParams({ code: exchange.code }));
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    checked,
    exchange.redirectUri,
    exchange.verifier,
    { signal, [oauth.customFetch]: grantor.wire.fetch },
  );
  return await readGrant(grantor, response, [exchange.code, exchange.verifier]);
}

/** Asks once whether the person has agreed. Throws `ServiceError` with the code `authorization_pending` until then. */
export async function askForDevice(grantor: Grantor, deviceCode: string, signal: AbortSignal): Promise<Granted> {
  const oauth = await import('oauth4webapi');
  const { server, client } = partiesOf(grantor);
  const response = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), deviceCode, {
    signal,
    [oauth.customFetch]: grantor.wire.fetch,
  });
  return await readGrant(grantor, response, [deviceCode]);
}

/** Asks for tokens with a grant of the service's own making. Throws `ServiceError`. */
export async function askWithGrant(
  grantor: Grantor,
  grantType: string,
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Granted> {
  const oauth = await import('oauth4webapi');
  const { server, client } = partiesOf(grantor);
  const response = await oauth.genericTokenEndpointRequest(
    server,
    client,
    oauth.None(),
    grantType,
    { ...parameters },
    { signal, [oauth.customFetch]: grantor.wire.fetch },
  );
  return await readGrant(grantor, response, Object.values(parameters));
}

/**
 * New tokens for a refresh token; what the answer leaves out stays as it was. `tokenHeader` names the header that
 * carries the refresh token where a service does not want it in the form. Throws `RefreshError`.
 */
export async function refreshGrant(
  grantor: Grantor,
  tokens: TokenSet,
  signal: AbortSignal,
  tokenHeader?: string,
): Promise<Granted> {
  const { refreshToken } = tokens;
  if (refreshToken === undefined || refreshToken === '') throw cannotRefresh(grantor);
  try {
    const response = await askForRefresh(grantor, refreshToken, signal, tokenHeader);
    const granted = await readGrant(grantor, response, [refreshToken, tokens.accessToken]);
    return { ...granted, tokens: { ...carriedOver(tokens), ...granted.tokens } };
  } catch (error) {
    signal.throwIfAborted();
    throw refreshFailure(grantor, error);
  }
}

/** Of the old tokens, what a new access token does not end. */
function carriedOver({ refreshToken, scope, extra }: TokenSet): Partial<TokenSet> {
  return {
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(scope === undefined ? {} : { scope }),
    ...(extra === undefined ? {} : { extra }),
  };
}

async function askForRefresh(
  grantor: Grantor,
  refreshToken: string,
  signal: AbortSignal,
  tokenHeader: string | undefined,
): Promise<Response> {
  const oauth = await import('oauth4webapi');
  const { server, client } = partiesOf(grantor);
  const options = { signal, [oauth.customFetch]: grantor.wire.fetch };
  if (tokenHeader === undefined) {
    return await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options);
  }
  const headers = { [tokenHeader]: refreshToken };
  return await oauth.genericTokenEndpointRequest(
    server,
    client,
    oauth.None(),
    'refresh_token',
    {},
    {
      ...options,
      headers,
    },
  );
}

/** What a failed refresh means for the login. */
function refreshFailure({ provider, wire }: Pick<Grantor, 'provider' | 'wire'>, error: unknown): RefreshError {
  if (error instanceof RefreshError) return error;
  if (!(error instanceof ServiceError)) {
    return new RefreshError(`${wire.service}: the login could not be renewed`, { terminal: false, cause: error });
  }
  const { status, code = '' } = error;
  const terminal = (status === 400 || status === 401 || status === 403) && terminalCodes.has(code);
  const hint = terminal ? loginHint(provider) : error.hint;
  return new RefreshError(error.message, { terminal, ...(hint === undefined ? {} : { hint }) });
}

function cannotRefresh({ provider, wire }: Grantor): RefreshError {
  return new RefreshError(`${wire.service}: this login has no refresh token, so it cannot be renewed`, {
    terminal: true,
    hint: loginHint(provider),
  });
}

export function loginHint(provider: string): string {
  return `Log in again with \`hermes auth add ${provider} --type oauth\`.`;
}

/** Codes after which the same refresh token is never accepted again. */
const terminalCodes: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_token',
  'bad_refresh_token',
  'token_expired',
  'token_revoked',
  'refresh_token_expired',
  'refresh_token_reused',
  'refresh_token_invalidated',
]);

/** Seconds since 1970; services that mean "for ever" name numbers that no date can hold. */
export function momentAfter(now: number, seconds: number): number {
  return Math.floor(now / 1000 + Math.min(Math.max(seconds, 0), maxSeconds));
}

const maxSeconds = 10 * 365 * 86_400;

async function readGrant(grantor: Grantor, response: Response, secrets: readonly string[]): Promise<Granted> {
  const { wire, tokenEndpoint, translate } = grantor;
  const answered = await readObject(response, { service: wire.service, url: tokenEndpoint, secrets });
  const body = translate === undefined ? answered : translate(answered);
  const answer = await validated(grantor, body);
  return { tokens: tokensOf(answer, wire.now()), body };
}

/** The answer as the OAuth library checks it, after what services leave out or say with null has been evened out. */
async function validated(grantor: Grantor, body: JsonObject): Promise<TokenEndpointResponse> {
  const oauth = await import('oauth4webapi');
  const { server, client } = partiesOf(grantor);
  // We log in to use an interface, not to learn who somebody is: identity tokens are not evaluated as such.
  const { id_token: _identity, ...rest } = body;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== ''));
  const plain = Response.json({ token_type: 'bearer', ...given });
  try {
    return await oauth.processGenericTokenEndpointResponse(server, client, plain);
  } catch {
    // What the library throws holds the answer, and the answer holds tokens.
    const host = new URL(grantor.tokenEndpoint).host;
    throw garbled(grantor.wire.service, host, 200, 'no tokens, or tokens of an unknown form');
  }
}

function tokensOf(answer: TokenEndpointResponse, now: number): TokenSet {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn, scope } = answer;
  const named = expiresIn === undefined ? undefined : momentAfter(now, expiresIn);
  const expiresAt = named ?? expiryClaim(accessToken);
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(scope === undefined ? {} : { scope }),
  };
}
