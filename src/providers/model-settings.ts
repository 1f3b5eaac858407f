/** What the configuration says about models, as plain data. An empty string counts as not set. */
import type { StoredLogins } from '../credentials/stored-logins.ts';
import type { JsonObject } from '../lib/json.ts';
import type { ProviderProfile } from '../llm/provider.ts';

/** Times in seconds. */
export interface ModelTimeouts {
  readonly timeout_seconds?: number | undefined;
  readonly stale_timeout_seconds?: number | undefined;
}

/** `providers.<id>` */
/** The part of it that is about every provider. */
export interface ProviderTimeouts {
  readonly request_timeout_seconds?: number | undefined;
  readonly stale_timeout_seconds?: number | undefined;
  readonly models?: Readonly<Record<string, ModelTimeouts>> | undefined;
}

/** An endpoint of the user's own: an entry of `custom_providers`, or one of the map `providers`. */
export interface CustomProvider {
  /** Its key in `providers`; absent for an entry of the list. */
  readonly id?: string | undefined;
  readonly name: string;
  readonly base_url: string;
  readonly api_key?: string | undefined;
  /** Name of the variable that holds the key. */
  readonly key_env?: string | undefined;
  readonly api_mode?: string | undefined;
  /** Used when no model is asked for. */
  readonly model?: string | undefined;
  /** Tokens, for all its models. */
  readonly context_length?: number | undefined;
  readonly extra_headers?: Readonly<Record<string, string>> | undefined;
  /** False: any certificate will do; text: as `ssl_ca_cert`. */
  readonly ssl_verify?: boolean | string | undefined;
  /** File of certificate authorities that are trusted for this endpoint too. */
  readonly ssl_ca_cert?: string | undefined;
  /** Merged into every request to this endpoint. */
  readonly extra_body?: JsonObject | undefined;
  readonly models?:
    | Readonly<
        Record<
          string,
          {
            readonly context_length?: number | undefined;
            readonly max_tokens?: number | undefined;
            readonly supports_vision?: boolean | undefined;
          }
        >
      >
    | undefined;
}

export interface ModelAlias {
  readonly model: string;
  readonly provider?: string | undefined;
  readonly base_url?: string | undefined;
}

/** `model.*` of the configuration and what belongs to it. */
export interface ModelSettings {
  readonly provider?: string | undefined;
  readonly default?: string | undefined;
  /** Synonym of `default`. */
  readonly model?: string | undefined;
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  readonly key_env?: string | undefined;
  readonly api_mode?: string | undefined;
  /** Tokens. */
  readonly context_length?: number | undefined;
  /** Tokens of one answer. */
  readonly max_tokens?: number | undefined;
  readonly temperature?: number | undefined;
  /** `agent.local_stream_stale_timeout`: seconds of silence that are no fault of a server of one's own. */
  readonly local_stream_stale_timeout?: number | undefined;
  /** `network.force_ipv4`: no connection over IPv6. */
  readonly force_ipv4?: boolean | undefined;
  /** `model.aliases`: `provider/model`. */
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  readonly model_aliases?: Readonly<Record<string, ModelAlias>> | undefined;
  readonly custom_providers?: readonly CustomProvider[] | undefined;
  readonly providers?: Readonly<Record<string, ProviderTimeouts>> | undefined;
  readonly supports_vision?: boolean | undefined;
  /** Azure: `entra_id` logs in with Microsoft Entra instead of a key. */
  readonly auth_mode?: string | undefined;
  /** Azure: scope of the token. */
  readonly entra_scope?: string | undefined;
  /** `provider_routing`, as OpenRouter's body field `provider`; only what is set. */
  readonly provider_routing?: JsonObject | undefined;
  readonly openrouter?:
    | {
        readonly min_coding_score: number;
        readonly response_cache?: boolean | undefined;
        /** Seconds. */
        readonly response_cache_ttl?: number | undefined;
      }
    | undefined;
  readonly bedrock?:
    | {
        readonly region: string;
        readonly profile: string;
        readonly guardrail_identifier: string;
        readonly guardrail_version: string;
        readonly stream_processing_mode?: '' | 'sync' | 'async';
        readonly trace?: '' | 'enabled' | 'disabled' | 'enabled_full';
      }
    | undefined;
  readonly vertex?: { readonly project_id: string; readonly region: string } | undefined;
  /** What `auth.json` holds, read when it is asked for. */
  readonly stored?: StoredLogins | undefined;
  /** Profiles from the home; they come before the built-in ones of the same id. */
  readonly profiles?: readonly ProviderProfile[] | undefined;
}
