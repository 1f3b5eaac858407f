/** The endpoints of the user's own: the list `custom_providers`, and what the map `providers` says beyond timeouts. */
import type { Config } from '../config/load.ts';
import { filled } from '../config/env-values.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { CustomProvider } from './model-settings.ts';

/** Entries of the list come first, so their positions are those of the list. */
export function savedEndpoints({
  custom_providers: list,
  providers,
}: Pick<Config, 'custom_providers' | 'providers'>): CustomProvider[] {
  const listed = list.map((entry) => ({ ...entry, extra_body: bodyOf(entry) }));
  const mapped = Object.entries(providers).flatMap(([id, entry]): CustomProvider[] => {
    if (!entry.enabled) return [];
    const address = filled(entry.api) ?? filled(entry.url) ?? filled(entry.base_url);
    if (address === undefined) return [];
    return [
      {
        id,
        name: filled(entry.name) ?? id,
        base_url: address,
        api_key: entry.api_key,
        key_env: filled(entry.key_env) ?? filled(entry.api_key_env),
        api_mode: entry.transport === 'openai_chat' ? 'chat_completions' : (entry.transport ?? entry.api_mode),
        model: filled(entry.default_model) ?? filled(entry.model),
        context_length: entry.context_length,
        extra_headers: entry.extra_headers,
        ssl_verify: entry.ssl_verify,
        ssl_ca_cert: entry.ssl_ca_cert,
        extra_body: bodyOf(entry),
        models: entry.models,
      },
    ];
  });
  return [...listed, ...mapped];
}

function bodyOf({ extra_body: body }: { readonly extra_body: unknown }): JsonObject {
  return isJsonObject(body) ? body : {};
}
