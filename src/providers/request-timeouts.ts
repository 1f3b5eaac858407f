/** The time limits of a provider's requests, from the configuration and the environment. */
import { filled } from './choose-provider.ts';
import type { Timeouts } from '../llm/endpoint.ts';
import type { Environment } from '../credentials/keys.ts';
import type { ModelSettings } from './model-settings.ts';

/** Configuration beats environment; a model's own limit beats its provider's. */
export function timeoutsFrom(
  settings: ModelSettings,
  provider: string,
  model: string,
  env: Environment,
): Partial<Timeouts> {
  const ofProvider = settings.providers?.[provider];
  const ofModel = ofProvider?.models?.[model];
  const total = ofModel?.timeout_seconds ?? ofProvider?.request_timeout_seconds ?? seconds(env['HERMES_API_TIMEOUT']);
  const configuredStale = ofModel?.stale_timeout_seconds ?? ofProvider?.stale_timeout_seconds;
  const stale = configuredStale ?? seconds(env['HERMES_STREAM_STALE_TIMEOUT']);
  const staleWhole = configuredStale ?? seconds(env['HERMES_API_CALL_STALE_TIMEOUT']);
  const read = seconds(env['HERMES_STREAM_READ_TIMEOUT']);
  return {
    ...(total === undefined ? {} : { totalMs: total * 1000 }),
    ...(read === undefined ? {} : { readMs: read * 1000 }),
    ...(stale === undefined ? {} : { staleMs: stale * 1000 }),
    ...(staleWhole === undefined ? {} : { staleWholeMs: staleWhole * 1000 }),
  };
}

function seconds(value: string | undefined): number | undefined {
  const number = Number(filled(value) ?? 'none');
  return Number.isFinite(number) && number > 0 ? number : undefined;
}
