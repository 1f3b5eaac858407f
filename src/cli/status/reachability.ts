/** Whether the providers that are configured answer: one light request to each, all at once, with a deadline. */
import { errorMessage } from '../../lib/errors.ts';
import { type ChosenProvider, configuredProvider, lookUpProvider } from '../../providers/choose-provider.ts';
import { addressOf } from '../../providers/endpoint-address.ts';
import { usableKey } from '../../credentials/keys.ts';
import { type Credentials, openCredentials } from '../auth/credentials.ts';
import { plain, providerName } from '../auth/describe.ts';
import type { CliContext } from '../command.ts';
import type { Finding } from '../doctor/finding.ts';
import { keyHeader } from '../model/key-header.ts';

const deadlineMs = 5000;

interface Endpoint {
  readonly label: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** In the order of menus, the provider in use among them. A damaged `auth.json` is a finding, not an error. */
export async function checkReachability(context: CliContext): Promise<Finding[]> {
  let endpoints: Endpoint[];
  try {
    endpoints = endpointsOf(await openCredentials(context), context);
  } catch (error) {
    return [{ status: 'fail', text: plain(errorMessage(error)) }];
  }
  if (endpoints.length === 0) return [{ status: 'info', text: 'no endpoint to ask' }];
  return await Promise.all(endpoints.map(ask));
}

function endpointsOf(credentials: Credentials, context: CliContext): Endpoint[] {
  const { settings } = credentials;
  const current = configuredProvider(settings);
  // Where a server of one's own is in use, OpenAI's key is meant for that.
  const own = current?.startsWith('custom') === true;
  const ids = credentials
    .ids()
    .filter((id) => !(own && id === 'openai-api' && credentials.store.poolOf(id).length === 0));
  const all = current === undefined || current === 'none' || ids.includes(current) ? ids : [current, ...ids];
  return all.flatMap((id) => {
    const chosen = lookUpProvider(id, settings);
    return chosen === undefined ? [] : (endpointOf(chosen, credentials, context, current === id) ?? []);
  });
}

/** Each key goes to its own provider only. Undefined for what has no address or lives in this process. */
function endpointOf(
  chosen: ChosenProvider,
  credentials: Credentials,
  { env }: CliContext,
  isCurrent: boolean,
): Endpoint | undefined {
  const { profile, saved } = chosen;
  const { settings } = credentials;
  if (profile.apiMode === 'in_process' || profile.auth === 'aws' || profile.auth === 'google') return undefined;
  try {
    const own = isCurrent ? settings : {};
    const { baseUrl } = addressOf(chosen, { provider: chosen.id }, own, settings, env);
    const inConfig = saved === undefined ? (usableKey(own.api_key) ?? usableKey(env[own.key_env ?? ''])) : undefined;
    const key = inConfig ?? credentials.keyFor(chosen);
    const mode = saved?.api_mode ?? own.api_mode ?? profile.apiMode;
    const versioned = mode === 'anthropic_messages' && !baseUrl.endsWith('/v1') ? `${baseUrl}/v1` : baseUrl;
    const listed = new URL(baseUrl).host === URL.parse(profile.baseUrl)?.host ? profile.modelsUrl : undefined;
    return {
      label:
        profile.id === 'custom' && saved === undefined ? 'Endpoint of your own' : providerName(credentials, chosen.id),
      url: listed ?? (profile.modelsUrl === null ? baseUrl : `${versioned}/models`),
      headers: { ...profile.headers, ...(key === undefined ? {} : keyHeader(profile, mode, key)) },
    };
  } catch {
    // Without a usable address there is nobody to ask.
    return undefined;
  }
}

async function ask({ label, url, headers }: Endpoint): Promise<Finding> {
  const { host } = new URL(url);
  try {
    const response = await fetch(url, {
      headers,
      // A redirect could carry the key to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(deadlineMs),
    });
    await response.body?.cancel();
    return judge(label, host, response.status);
  } catch (error) {
    return {
      status: 'fail',
      text: `${label}: ${host} does not answer`,
      detail: reasonOf(error),
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
      text: `${label}: ${host} is in trouble`,
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
