/**
 * Logins in a browser: it comes back to this machine, or the person pastes what it shows.
 * https://www.rfc-editor.org/rfc/rfc7636 (PKCE), https://www.rfc-editor.org/rfc/rfc8252 (native apps)
 */
import { UserError } from '../../lib/errors.ts';
import { awaitRedirect } from './await-redirect.ts';
import { exchangeCode, type Granted, type Grantor, loginHint, partiesOf } from './grants.ts';
import type { LoginOptions } from './login.ts';
import { listenForRedirect, type Loopback, type LoopbackOptions, redirectUriOf } from './loopback.ts';
import { declined } from './poll.ts';
import { refused } from './service-error.ts';

export interface BrowserFlow extends Grantor {
  readonly authorizationEndpoint: string;
  readonly scope: string;
  /** Where the browser comes back to. */
  readonly redirect: Omit<LoopbackOptions, 'belongs'>;
}

/** Throws `UserError` when the person declines, pastes something else or takes more than five minutes. */
export async function browserLogin(flow: BrowserFlow, options: LoginOptions): Promise<Granted> {
  const oauth = await import('oauth4webapi');
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const belongs = (parameters: URLSearchParams) => parameters.get('state') === state;
  await using loopback = await open(flow, options, belongs);
  const redirectUri = loopback?.redirectUri ?? redirectUriOf(flow.redirect);
  const url = addressOf(flow, { redirectUri, state, challenge: await oauth.calculatePKCECodeChallenge(verifier) });
  const code = await askForCode(flow, options, { url, loopback, state });
  return await exchangeCode(flow, { code, verifier, redirectUri }, options.signal);
}

const deadlineMs = 5 * 60_000;

async function open(
  { redirect }: BrowserFlow,
  { manualPaste = false, prompt }: LoginOptions,
  belongs: LoopbackOptions['belongs'],
): Promise<Loopback | undefined> {
  // A port of our choice has to be known before it can be in the address, whoever comes back to it.
  if (manualPaste && redirect.port !== 0) return undefined;
  const loopback = await listenForRedirect({ ...redirect, belongs });
  if (loopback === undefined) prompt.status(`Port ${redirect.port} is taken, so the browser cannot come back here.`);
  return loopback;
}

function addressOf(
  flow: BrowserFlow,
  { redirectUri, state, challenge }: { redirectUri: string; state: string; challenge: string },
): string {
  const url = new URL(flow.authorizationEndpoint);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', flow.clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  url.searchParams.set('scope', flow.scope);
  url.searchParams.set('state', state);
  url.searchParams.set('code_challenge', challenge);
  url.searchParams.set('code_challenge_method', 'S256');
  return url.href;
}

interface Asking {
  readonly url: string;
  readonly loopback: Loopback | undefined;
  readonly state: string;
}

async function askForCode(flow: BrowserFlow, options: LoginOptions, { url, loopback, state }: Asking): Promise<string> {
  const { wire, provider } = flow;
  const { service } = wire;
  const hint = loginHint(provider);
  const answer = await awaitRedirect(
    { service, url, loopback, hint, deadlineMs, wait: (ms, signal) => wire.wait(ms, signal) },
    options,
  );
  if (!answer.bare) return await codeIn(flow, answer.parameters, state);
  // The code alone: without its verifier, which never left this process, nobody else's would be accepted either.
  return answer.parameters.get('code') ?? '';
}

/** The code of an answer that belongs to this login. */
async function codeIn(flow: BrowserFlow, parameters: URLSearchParams, state: string): Promise<string> {
  const oauth = await import('oauth4webapi');
  const { server, client } = partiesOf(flow);
  try {
    return oauth.validateAuthResponse(server, client, parameters, state).get('code') ?? '';
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw foreign(flow);
    if (error.error === 'access_denied') throw declined(flow);
    const { error: code, error_description: description } = error;
    throw refused(flow.wire.service, 400, { error: code, ...(description ? { error_description: description } : {}) }, [
      state,
    ]);
  }
}

function foreign({ wire, provider }: BrowserFlow): UserError {
  return new UserError(
    `${wire.service}: the answer does not belong to this login (its state is missing or another, or it names another issuer).`,
    { hint: `Nothing was stored. ${loginHint(provider)}` },
  );
}
