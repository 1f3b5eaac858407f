/** Some services have several addresses, of which a key works at one only: finds it, once. */
import { createHash } from 'node:crypto';
import type { ProviderProfile } from '../llm/provider.ts';
import type { RouteServices } from './route-services.ts';

const timeoutMs = 8000;

/**
 * The address among `profile.probeBaseUrls` that answers a request of one token with 200, remembered by the key's
 * fingerprint; the provider's usual address when none does, so that the real request tells what is wrong.
 */
export async function probeAddress(
  profile: ProviderProfile,
  key: string,
  model: string,
  findings: RouteServices['findings'],
  signal: AbortSignal | undefined,
): Promise<string> {
  const fingerprint = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const name = `${profile.id}:base_url:${fingerprint}`;
  const candidates = profile.probeBaseUrls ?? [];
  const known = await findings?.get(name);
  if (known !== undefined && candidates.includes(known)) return known;
  for (const baseUrl of candidates) {
    if (!(await accepts(baseUrl, key, model, signal))) continue;
    await findings?.set(name, baseUrl);
    return baseUrl;
  }
  return profile.baseUrl;
}

async function accepts(baseUrl: string, key: string, model: string, signal: AbortSignal | undefined): Promise<boolean> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'ping' }], max_tokens: 1, stream: false }),
      redirect: 'error',
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
