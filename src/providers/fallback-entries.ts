/** Entries of `fallback_providers` and `fallback_chain`: the models that are asked when another one fails. */
import { filled } from '../config/env-values.ts';
import type { RouteRequest } from './choose-provider.ts';

/** As the configuration holds it. */
export interface FallbackEntry {
  readonly provider: string;
  readonly model: string;
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  /** Name of the variable that holds the key. */
  readonly key_env?: string | undefined;
  readonly api_mode?: string | undefined;
}

/** The requests that complete entries stand for, in order; an entry without a provider or a model is passed over. */
export function fallbackRequests(entries: readonly FallbackEntry[]): RouteRequest[] {
  return entries.flatMap((entry) => {
    const provider = filled(entry.provider);
    const model = filled(entry.model);
    if (provider === undefined || model === undefined) return [];
    const baseUrl = filled(entry.base_url);
    const apiKey = filled(entry.api_key);
    const keyEnv = filled(entry.key_env);
    const apiMode = filled(entry.api_mode);
    return [
      {
        provider,
        model,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(keyEnv === undefined ? {} : { keyEnv }),
        ...(apiMode === undefined ? {} : { apiMode }),
      },
    ];
  });
}
