/** The time limits of a provider's requests, from the configuration and the environment. */
import type { RequestTimeouts } from '../config/model-variables.ts';
import type { Timeouts } from '../llm/endpoint.ts';
import type { ProviderTimeouts } from './model-settings.ts';

/** Configuration beats environment; a model's own limit beats its provider's. */
export function timeoutsFrom(
  configured: ProviderTimeouts | undefined,
  model: string,
  process: RequestTimeouts,
): Partial<Timeouts> {
  const ofModel = configured?.models?.[model];
  const silence = ofModel?.stale_timeout_seconds ?? configured?.stale_timeout_seconds;
  return {
    ...limit('totalMs', ofModel?.timeout_seconds ?? configured?.request_timeout_seconds ?? process.total),
    ...limit('readMs', process.read),
    ...limit('staleMs', silence ?? process.stale),
    ...limit('staleWholeMs', silence ?? process.staleWhole),
  };
}

function limit(name: keyof Timeouts, seconds: number | undefined): Partial<Timeouts> {
  return seconds === undefined ? {} : { [name]: seconds * 1000 };
}
