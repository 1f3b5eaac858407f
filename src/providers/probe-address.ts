/** Some services have several addresses, of which a key works at one only: finds it, once. */
import { createHash } from 'node:crypto';
import type { Fetch } from '../lib/fetch-over.ts';
import { type Log, noLog } from '../lib/log.ts';
import type { ProviderProfile } from '../llm/provider.ts';
import { KeyAuthorizer } from './authorizer.ts';
import type { RouteServices } from './route-services.ts';

const timeoutMs = 8000;

export interface AddressProbe {
  readonly profile: ProviderProfile;
  readonly key: string;
  readonly model: string;
  /** Where the answer is kept. */
  readonly findings: RouteServices['findings'];
  readonly log: Log | undefined;
  readonly fetch: Fetch;
}

/**
 * The address among `profile.probeBaseUrls` that answers a request of one token with 200, remembered by the key's
 * fingerprint; the provider's usual address when none does, so that the real request tells what is wrong.
 */
export async function probeAddress(probe: AddressProbe, signal: AbortSignal): Promise<string> {
  const { profile, key, findings } = probe;
  const fingerprint = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const name = `${profile.id}:base_url:${fingerprint}`;
  const candidates = profile.probeBaseUrls ?? [];
  const known = await findings?.get(name);
  if (known !== undefined && candidates.includes(known)) return known;
  for (const baseUrl of candidates) {
    if (!(await accepts(baseUrl, probe, signal))) continue;
    await findings?.set(name, baseUrl);
    return baseUrl;
  }
  return profile.baseUrl;
}

async function accepts(
  baseUrl: string,
  { profile, key, model, fetch, log = noLog }: AddressProbe,
  signal: AbortSignal,
) {
  const { apiMode } = profile;
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(await new KeyAuthorizer(key, { profile, apiMode, baseUrl }).headers()),
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'ping' }], max_tokens: 1, stream: false }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return response.status === 200;
  } catch (error) {
    log.info(`${profile.id}: ${baseUrl} could not be tried`, error);
    return false;
  }
}
