/** What is known of a provider: data, not code. */
import type { JsonObject } from '../lib/json.ts';
import type { Quirks } from './endpoint.ts';
import type { ApiMode, ModelRequest, Protocol } from './protocol.ts';

/**
 * How one gets in. `oauth_device_code` and `oauth_pkce` log in with `hermes auth add`; `copilot` takes GitHub tokens;
 * `aws` signs with the AWS credential chain; `google` and `entra` ask those clouds for a token; `external_process`
 * starts a program that is logged in by itself.
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

export interface ProviderProfile {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly apiMode: ApiMode;
  /** Empty when the user has to name it. */
  readonly baseUrl: string;
  /** Variable that replaces `baseUrl`. */
  readonly baseUrlVariable?: string;
  /** Variables that hold the key, the first that is set counts. */
  readonly keyVariables: readonly string[];
  /** The only domains that the keys of `keyVariables` are sent to; absent = wherever the base URL leads. */
  readonly keyDomains?: readonly string[];
  readonly auth: AuthKind;
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
