/**
 * Leads a person through the login to a server: who grants access is found, the program registers itself, the browser
 * comes back with a code, and the code is changed for tokens. Nothing is stored before they are there.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { exchangeAuthorization, startAuthorization } from '@modelcontextprotocol/client';
import { awaitRedirect } from '../../credentials/oauth/await-redirect.ts';
import type { LoginOptions } from '../../credentials/oauth/login.ts';
import { listenForRedirect, type Loopback } from '../../credentials/oauth/loopback.ts';
import { UserError } from '../../lib/errors.ts';
import { errorText } from '../error-text.ts';
import type { HttpReach, OAuthSettings } from '../settings.ts';
import { type AuthPlace, authFetch, NotAsked } from './auth-fetch.ts';
import { type Authority, findAuthority } from './authority.ts';
import type { Challenge } from './challenge.ts';
import { LoginFiles, type StoredClient } from './login-files.ts';
import { refusalText } from './refusal.ts';
import { clientFor } from './register.ts';
import { allScopes, storedTokens } from './tokens.ts';

export interface LoginPlace extends AuthPlace {
  readonly homePath: string;
  readonly reach: HttpReach & { readonly oauth: OAuthSettings };
  /** What the server answered to somebody without a login. */
  readonly challenge: Challenge;
}

/**
 * Stores the login in place of the one before. Throws `UserError` when there is nothing to log in to, the person declines
 * or takes too long, or an answer does not belong to this login; and the signal's reason when it aborts.
 */
export async function logInToServer(place: LoginPlace, options: LoginOptions): Promise<void> {
  const { name, reach } = place;
  const files = new LoginFiles(place.homePath, name);
  const fetch = authFetch(place, options.signal);
  const authority = await authorityOf(place, fetch);
  await using loopback = await open(reach.oauth);
  const redirectUri = reach.oauth.redirectUri ?? loopback.listener.redirectUri;
  const before = files.tokens();
  const scope = scopeOf(place, authority, allScopes(before?.wanted_scope && before.scope, before?.wanted_scope));
  const client = await clientFor(authority, { name, oauth: reach.oauth, redirectUri, scope, fetch });
  const { state } = loopback;
  const { authorizationUrl, codeVerifier } = await startAuthorization(authority.url, {
    ...partiesOf(authority, client),
    redirectUrl: redirectUri,
    ...(scope === undefined ? {} : { scope }),
    state,
  });
  const parameters = await answerOf(place, authorizationUrl, loopback, options);
  const iss = parameters.get('iss') ?? undefined;
  const code = parameters.get('code') ?? '';
  try {
    const granted = await exchangeAuthorization(authority.url, {
      ...partiesOf(authority, client),
      authorizationCode: code,
      ...(iss === undefined ? {} : { iss }),
      codeVerifier,
      redirectUri,
      fetchFn: fetch,
    });
    const binding = { ...authority, serverUrl: reach.url };
    const tokens = storedTokens({ ...granted, scope: granted.scope ?? scope }, binding);
    await files.locked(() => files.save({ tokens, client, metadata: authority.metadata }), options.signal);
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof UserError) throw error;
    const why = refusalText(error, [code, codeVerifier, client.client_secret]);
    throw new UserError(`MCP server '${name}': the login was not granted: ${why}`, again(name));
  }
}

async function authorityOf(place: LoginPlace, fetch: ReturnType<typeof authFetch>): Promise<Authority> {
  const { name, reach, challenge } = place;
  let authority: Authority;
  try {
    const { resourceMetadataUrl } = challenge;
    authority = await findAuthority({ name, serverUrl: reach.url, resourceMetadataUrl, fetch });
  } catch (error) {
    if (error instanceof NotAsked) throw error;
    throw new UserError(`MCP server '${name}': who grants access to it cannot be found: ${errorText(error)}`, {
      cause: error,
    });
  }
  // It neither asks for a login nor says where one could be had.
  if (!challenge.isAsked && authority.metadata === undefined && authority.resource === undefined) {
    throw new UserError(`MCP server '${name}' asks for no login.`, { hint: `Take auth: oauth out of its entry.` });
  }
  return authority;
}

/** What the owner wrote, else what the server wants; what it wanted later comes on top. */
function scopeOf({ reach, challenge }: LoginPlace, authority: Authority, wanted?: string): string | undefined {
  const { metadata, scopes } = authority;
  const asked = allScopes(reach.oauth.scope ?? challenge.scope ?? scopes, wanted);
  const offline = metadata?.scopes_supported?.includes('offline_access') === true ? 'offline_access' : undefined;
  return asked === undefined ? undefined : allScopes(asked, offline);
}

function partiesOf({ metadata, resource }: Authority, client: StoredClient) {
  return {
    clientInformation: client,
    ...(metadata === undefined ? {} : { metadata }),
    ...(resource === undefined ? {} : { resource }),
  };
}

interface Opened extends AsyncDisposable {
  readonly listener: Loopback;
  readonly state: string;
}

async function open(oauth: OAuthSettings): Promise<Opened> {
  const { generateRandomState } = await import('oauth4webapi');
  const state = generateRandomState();
  const proxy = oauth.redirectUri === undefined ? undefined : URL.parse(oauth.redirectUri)?.host;
  const wanted = {
    path: '/callback',
    host: oauth.redirectHost,
    ...(proxy === undefined ? {} : { proxied: proxy }),
    belongs: (parameters: URLSearchParams) => parameters.get('state') === state,
  };
  const listener = await listenForRedirect({ ...wanted, port: oauth.redirectPort });
  if (listener !== undefined) return { listener, state, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() };
  throw new UserError(`The browser cannot come back to this machine: port ${oauth.redirectPort} is taken.`, {
    hint: 'End the other login, or set another oauth.redirect_port.',
  });
}

/** The parameters of an answer that belongs to this login and is no refusal. */
async function answerOf(
  { name, reach }: LoginPlace,
  url: URL,
  { listener, state }: Opened,
  options: LoginOptions,
): Promise<URLSearchParams> {
  const { hint } = again(name);
  const service = `MCP server '${name}'`;
  const wait = async (ms: number, signal: AbortSignal): Promise<void> => await sleep(ms, undefined, { signal });
  const { parameters, bare } = await awaitRedirect(
    { service, url: url.href, loopback: listener, pasteToo: true, hint, deadlineMs: reach.oauth.timeoutMs, wait },
    options,
  );
  if (!bare && parameters.get('state') !== state) {
    throw new UserError(`${service}: the answer does not belong to this login (its state is missing or another).`, {
      hint: `Nothing was stored. ${hint}`,
    });
  }
  const error = parameters.get('error');
  if (error === null) return parameters;
  const said = refusalText(new Error([error, parameters.get('error_description') ?? ''].join(' ').trim()), [state]);
  throw new UserError(`${service}: the login was refused: ${said}`, { hint });
}

function again(name: string): { hint: string } {
  return { hint: `Try again with: hermes mcp login ${name}` };
}
