/** Asks the provider of a route what its account may still use. */
import type { Fetch } from '../../lib/fetch-over.ts';
import type { ModelRoute } from '../../llm/protocol.ts';
import { getJson } from '../../models/knowledge/get-json.ts';
import type { AccountLimits, LimitSource } from './account-limits.ts';
import { anthropicLimits } from './anthropic.ts';
import { codexLimits } from './openai-codex.ts';
import { openrouterLimits } from './openrouter.ts';

const timeoutMs = 5000;
const maxBytes = 256 * 1024;

const sources: ReadonlyMap<string, LimitSource> = new Map([
  ['anthropic', anthropicLimits],
  ['openai-codex', codexLimits],
  ['openrouter', openrouterLimits],
]);

/**
 * Undefined where the provider tells no limits, or not within five seconds. The credential goes to the host of the
 * route alone. Rejects only when `signal` aborts.
 */
export async function askLimits(
  route: Pick<ModelRoute, 'provider' | 'baseUrl' | 'authorizer'>,
  { fetch, signal }: { readonly fetch?: Fetch; readonly signal: AbortSignal },
): Promise<AccountLimits | undefined> {
  const source = sources.get(route.provider);
  if (source === undefined || route.authorizer === undefined) return undefined;
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const headers = await route.authorizer.headers(within).catch(() => undefined);
  signal.throwIfAborted();
  if (headers === undefined || source.asks?.(headers) === false) return undefined;
  const request = { headers, signal: within, timeoutMs, maxBytes, fetch };
  const addresses = source.addresses(route.baseUrl.replace(/\/+$/, ''));
  const answers = await Promise.all(addresses.map((address) => getJson(address, request)));
  signal.throwIfAborted();
  return source.read(answers);
}
