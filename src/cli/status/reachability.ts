/** Whether the providers that are configured answer: one light request to each, all at once, with a deadline. */
import { withoutUserInfo } from '../../config/env-values.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { shownHost } from '../../lib/socket-address.ts';
import { ModelError } from '../../llm/model-error.ts';
import { type ChosenProvider, configuredProvider, lookUpProvider } from '../../providers/choose-provider.ts';
import type { OpenEndpoint } from '../../providers/resolve.ts';
import { type Credentials, openCredentials } from '../auth/credentials.ts';
import { plain, providerName } from '../auth/describe.ts';
import type { CliContext } from '../command.ts';
import type { Finding } from '../doctor/finding.ts';

const deadlineMs = 5000;

interface Provider {
  readonly chosen: ChosenProvider;
  /** The one that conversations use. */
  readonly current: boolean;
}

/** In the order of menus, the provider in use among them. A damaged `auth.json` is a finding, not an error. */
export async function checkReachability(context: CliContext): Promise<Finding[]> {
  let credentials: Credentials;
  try {
    credentials = await openCredentials(context);
  } catch (error) {
    return [{ status: 'fail', text: plain(errorMessage(error)) }];
  }
  const findings = await Promise.all(providersIn(credentials).map((provider) => check(provider, credentials)));
  const found = findings.filter((finding) => finding !== undefined);
  return found.length === 0 ? [{ status: 'info', text: 'no endpoint to ask' }] : found;
}

function providersIn(credentials: Credentials): readonly Provider[] {
  const { settings, store } = credentials;
  const current = configuredProvider(settings);
  // Where a server of one's own is in use, OpenAI's key is meant for that.
  const own = current?.startsWith('custom') === true;
  const ids = credentials.ids().filter((id) => !(own && id === 'openai-api' && store.poolOf(id).length === 0));
  const all = current === undefined || current === 'none' || ids.includes(current) ? ids : [current, ...ids];
  return all.flatMap((id) => {
    const chosen = lookUpProvider(id, settings);
    return chosen === undefined ? [] : [{ chosen, current: current === id }];
  });
}

/** Undefined for what has no address or lives in this process. */
async function check({ chosen, current }: Provider, credentials: Credentials): Promise<Finding | undefined> {
  const { profile, saved, id } = chosen;
  if (profile.apiMode === 'in_process' || profile.auth === 'aws' || profile.auth === 'google') return undefined;
  const label = profile.id === 'custom' && saved === undefined ? 'Endpoint of your own' : providerName(credentials, id);
  try {
    return await ask(label, await credentials.open({ provider: id }));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // Of the others it only means that nobody uses them.
    if (!current) return undefined;
    return {
      status: 'fail',
      text: plain(error.message),
      ...(error.hint === undefined ? {} : { remedy: plain(error.hint) }),
    };
  }
}

function addressFor({ profile, baseUrl, apiMode }: OpenEndpoint): string {
  const versioned = apiMode === 'anthropic_messages' && !baseUrl.endsWith('/v1') ? `${baseUrl}/v1` : baseUrl;
  const listed = new URL(baseUrl).host === URL.parse(profile.baseUrl)?.host ? profile.modelsUrl : undefined;
  return listed ?? (profile.modelsUrl === null ? baseUrl : `${versioned}/models`);
}

async function ask(label: string, endpoint: OpenEndpoint): Promise<Finding> {
  const url = addressFor(endpoint);
  const host = shownHost(new URL(url));
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const response = await endpoint.fetch(url, {
      headers: { ...endpoint.profile.headers, ...(await endpoint.authorizer?.headers(signal)) },
      // A redirect could carry the key to another host.
      redirect: 'manual',
      signal,
    });
    await response.body?.cancel();
    return judge(label, host, response.status);
  } catch (error) {
    if (error instanceof ModelError) return { status: 'fail', text: `${label}: ${plain(error.message)}` };
    return {
      status: 'fail',
      text: `${label}: ${host} does not answer`,
      detail: withoutUserInfo(reasonOf(error)),
      remedy: `Check the address of ${label} and your connection.`,
    };
  }
}

function judge(label: string, host: string, status: number): Finding {
  if (status === 401 || status === 403) {
    return {
      status: 'fail',
      text: `${label}: ${host} refuses the key`,
      detail: `HTTP ${status}`,
      remedy: `Set a valid key for ${label}.`,
    };
  }
  if (status >= 500) {
    return {
      status: 'warn',
      text: `${label}: ${host} reports an internal error`,
      detail: `HTTP ${status}`,
      remedy: 'Try again later.',
    };
  }
  return { status: 'ok', text: label, detail: status === 200 ? host : `${host} answers with HTTP ${status}` };
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${deadlineMs / 1000} s`;
  return plain(error instanceof Error && error.cause instanceof Error ? error.cause.message : errorMessage(error));
}
