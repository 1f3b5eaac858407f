/** What is known of a provider: data, not code. */
import type { CloudPlace } from '../config/model-variables.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Quirks } from './endpoint.ts';
import type { ApiMode, ModelRequest, Protocol } from './protocol.ts';

/**
 * How one gets in. `oauth_device_code` and `oauth_pkce` log in with `hermes auth add`; `copilot` takes GitHub tokens;
 * `aws` signs with the AWS credential chain; `google` asks that cloud for a token; `external_process` starts a program
 * that is logged in by itself.
 */
export type AuthKind =
  | 'api_key'
  | 'optional_api_key'
  | 'oauth_device_code'
  | 'oauth_pkce'
  | 'copilot'
  | 'aws'
  | 'google'
  | 'external_process'
  | 'none';

/** Headers that carry keys; `authorization` as a bearer token. */
export type KeyHeader = 'authorization' | 'x-api-key' | 'api-key' | 'x-goog-api-key';

export interface ProviderProfile {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly apiMode: ApiMode;
  /** Empty when the user has to name it. */
  readonly baseUrl: string;
  /** Variable that replaces `baseUrl`. */
  readonly baseUrlVariable?: string;
  /** Other programs read that variable too, so it counts only where this provider was named. */
  readonly baseUrlVariableIsShared?: true;
  /** Where a cloud has its models, by region and project; undefined when that does not say. */
  readonly cloudBaseUrl?: (place: CloudPlace) => string | undefined;
  /** What to do when no address is known; default: how to set one. */
  readonly addressHint?: string;
  /** Variables that hold the key, the first that is set counts. */
  readonly keyVariables: readonly string[];
  /** The only domains that the keys of `keyVariables` are sent to; absent = wherever the base URL leads. */
  readonly keyDomains?: readonly string[];
  /** The keys belong to `keyDomains` whatever an endpoint is called: used there always, and elsewhere never. */
  readonly boundKeys?: true;
  /** Other keys for hosts that serve the provider's models too. */
  readonly keysByHost?: readonly { readonly domain: string; readonly variable: string }[];
  /** The header that carries a key, where it is not the usual one of the wire format. */
  readonly keyHeader?: KeyHeader;
  readonly auth: AuthKind;
  /** `model.auth_mode: entra_id` logs in with Microsoft Entra instead of a key. */
  readonly entra?: true;
  /** Paid by the month: what a request would have cost by the token is not what it costs. */
  readonly billing?: 'plan';
  /** Passes on what others serve, under names such as `maker/model`. */
  readonly aggregator?: true;
  /** Its own models have no maker in front: `maker/model` means OpenRouter. */
  readonly plainModelNames?: true;
  /** Its lists in models.dev, best first; default: the id. Empty for servers that models.dev cannot know. */
  readonly modelsDev?: readonly string[];
  /**
   * Place among the providers that side tasks turn to when nothing is configured for them. Without one, texts are asked
   * behind all that have one, in the order of the catalogue, and pictures never.
   */
  readonly sideRank?: { readonly text?: number; readonly vision?: number };
  /** For menus; default: the id. */
  readonly name?: string;
  /** One line for menus. */
  readonly description?: string;
  /** Where one gets a key. */
  readonly signupUrl?: string;
  /** Used when no model is set. */
  readonly defaultModel?: string;
  /** For side tasks; default: the main model. */
  readonly auxModel?: string;
  /** Offered in menus when the provider's own list cannot be had. */
  readonly models?: readonly string[];
  /** Where the list of models is; default `<baseUrl>/models`, null when there is none. */
  readonly modelsUrl?: string | null;
  /** Wire format of some models, first match counts; others use `apiMode`. */
  readonly apiModes?: readonly { readonly models: RegExp; readonly apiMode: ApiMode }[];
  /** It speaks `apiMode` at whichever address it is asked. */
  readonly fixedApiMode?: true;
  /** Addresses for keys that begin with a prefix (`sk-kimi-`). */
  readonly baseUrlByKey?: readonly { readonly prefix: string; readonly baseUrl: string }[];
  /** Addresses of one service, of which a key works at one only: they are tried, and the right one is remembered. */
  readonly probeBaseUrls?: readonly string[];
  /** Of some requests only, over `headers`. */
  readonly requestHeaders?: (request: ModelRequest) => Readonly<Record<string, string>>;
  /** Merged into every request body. */
  readonly extraBody?: JsonObject;
  /** Tokens of one answer unless configured. */
  readonly maxTokens?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: Quirks;
  /** Windows in tokens by model, where the general table is wrong for this provider. */
  readonly contextLengths?: Readonly<Record<string, number>>;
  /** An endpoint that the user saved under the same name is meant instead. */
  readonly givesWayToSaved?: true;
  /** A model that lives in this process; nothing is sent anywhere. */
  readonly inProcess?: () => Promise<Protocol>;
}
