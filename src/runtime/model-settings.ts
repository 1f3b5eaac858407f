/** What the configuration says about models, in the shape that `llm/` asks for. */
import type { Config } from '../config/load.ts';
import type { StoredLogins } from '../credentials/stored-logins.ts';
import type { ModelSettings } from '../providers/model-settings.ts';
import { savedEndpoints } from '../providers/saved-endpoints.ts';
import type { ProviderProfile } from '../llm/provider.ts';

/** Sections that few requests need are looked at when they are asked for: each costs a schema. */
export function modelSettings(
  config: Config,
  profiles: readonly ProviderProfile[] = [],
  stored?: StoredLogins,
): ModelSettings {
  const { model } = config;
  return {
    profiles,
    stored,
    provider: model.provider,
    default: model.default,
    base_url: model.base_url,
    api_key: model.api_key,
    key_env: model.key_env,
    api_mode: model.api_mode,
    context_length: model.context_length,
    max_tokens: model.max_tokens,
    aliases: model.aliases,
    model_aliases: config.model_aliases,
    custom_providers: savedEndpoints(config),
    providers: config.providers,
    supports_vision: model.supports_vision,
    auth_mode: model.auth_mode,
    entra_scope: model.entra.scope,
    local_stream_stale_timeout: config.agent.local_stream_stale_timeout,
    get force_ipv4() {
      return config.network.force_ipv4;
    },
    get provider_routing() {
      return routing(config.provider_routing);
    },
    get openrouter() {
      return config.openrouter;
    },
    get vertex() {
      return config.vertex;
    },
    get bedrock() {
      return { region: config.bedrock.region, profile: config.bedrock.profile, ...config.bedrock.guardrail };
    },
  };
}

/** Only what is set is sent. */
function routing({ sort, only, ignore, order, require_parameters, data_collection }: Config['provider_routing']) {
  return {
    ...(sort === undefined ? {} : { sort }),
    ...(only.length === 0 ? {} : { only }),
    ...(ignore.length === 0 ? {} : { ignore }),
    ...(order.length === 0 ? {} : { order }),
    ...(require_parameters === undefined ? {} : { require_parameters }),
    ...(data_collection === undefined ? {} : { data_collection }),
  };
}
