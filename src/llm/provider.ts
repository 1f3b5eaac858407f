/** What is known of a provider: data, not code. */
import type { CloudLocation } from '../config/model-variables.ts';
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

/** Who it is, for lookups and menus. */
export interface ProviderIdentity {
  readonly id: string;
  readonly aliases: readonly string[];
  /** For menus; default: the id. */
  readonly name?: string;
  /** One line for menus. */
  readonly description?: string;
  /** Where one gets a key. */
  readonly signupUrl?: string;
  /** An endpoint that the user saved under the same name, or the server at an address named with it, is meant instead. */
  readonly givesWayToSaved?: true;
  /** Passes on what others serve, under names such as `maker/model`. */
  readonly aggregator?: true;
  /** Its own models have no maker in front: `maker/model` means OpenRouter. */
  readonly plainModelNames?: true;
  /** `plan`: paid by the month, so what a request would have cost by the token is not what it costs. `none`: computed here. */
  readonly billing?: 'plan' | 'none';
  /**
   * Place among the providers that side tasks turn to when nothing is configured for them. Without one, texts are asked
   * behind all that have one, in the order of the catalogue, and pictures never.
   */
  readonly sideRank?: { readonly text?: number; readonly vision?: number };
}

/** Where it is asked. */
export interface ProviderAddress {
  /** Empty when the user has to name it. */
  readonly baseUrl: string;
  /** Stands behind an address that was given as a host alone. */
  readonly usualPath?: string;
  /** Variable that replaces `baseUrl`. */
  readonly baseUrlVariable?: string;
  /** Other programs read that variable too, so it counts only where this provider was named. */
  readonly baseUrlVariableIsShared?: true;
  /** Where a cloud has its models, by region and project; undefined when that does not say. */
  readonly cloudBaseUrl?: (place: CloudLocation) => string | undefined;
  /** What to do when no address is known; default: how to set one. */
  readonly addressHint?: string;
  /** Addresses for keys that begin with a prefix (`sk-kimi-`). */
  readonly baseUrlByKey?: readonly { readonly prefix: string; readonly baseUrl: string }[];
  /** Addresses of one service, of which a key works at one only: they are tried, and the right one is remembered. */
  readonly probeBaseUrls?: readonly string[];
}

/** How one gets in, and where its keys may go. */
export interface ProviderAccess {
  readonly auth: AuthKind;
  /** `model.auth_mode: entra_id` logs in with Microsoft Entra instead of a key. */
  readonly entra?: true;
  /** Variables that hold the key, the first that is set counts. */
  readonly keyVariables: readonly string[];
  /** What to do without a key, where setting the variable is not the whole story. */
  readonly keyHint?: string;
  /** The only domains that the keys of `keyVariables` are sent to; absent = wherever the base URL leads. */
  readonly keyDomains?: readonly string[];
  /** The keys belong to `keyDomains` whatever an endpoint is called: used there always, and elsewhere never. */
  readonly boundKeys?: true;
  /** Other keys for hosts that serve the provider's models too. */
  readonly keysByHost?: readonly { readonly domain: string; readonly variable: string }[];
  /** The header that carries a key, where it is not the usual one of the wire format. */
  readonly keyHeader?: KeyHeader;
  /** The header that names the account which a login belongs to. */
  readonly accountHeader?: string;
}

/** Which models it has, and what is known of them. */
export interface ProviderModels {
  /** Used when no model is set. */
  readonly defaultModel?: string;
  /** For side tasks; default: the main model. */
  readonly auxModel?: string;
  /** Its names have no maker in front, though it passes on what others make: `openai/gpt-5.4` is `gpt-5.4` there. */
  readonly dropsMaker?: true;
  /** Its names have the maker in front, and it knows no others. */
  readonly wantsMaker?: true;
  /** How it writes names that others write otherwise: `claude-sonnet-4.6` with a dot, or no capital letters. */
  readonly modelSpelling?: 'dotted_claude' | 'small_letters';
  /** Offered in menus when the provider's own list cannot be had. */
  readonly models?: readonly string[];
  /** Where the list of models is; default `<baseUrl>/models`, null when there is none. */
  readonly modelsUrl?: string | null;
  /** Its lists in models.dev, best first; default: the id. Empty for servers that models.dev cannot know. */
  readonly modelsDev?: readonly string[];
  /** Windows in tokens by model, where the general table is wrong for this provider. */
  readonly contextLengths?: Readonly<Record<string, number>>;
  /** Tokens of one answer unless configured. */
  readonly maxTokens?: number;
}

/** How it is spoken to. */
export interface ProviderWire {
  readonly apiMode: ApiMode;
  /** Wire format of some models by their names in small letters, without a maker; first match counts, others use `apiMode`. */
  readonly apiModes?: readonly { readonly models: RegExp; readonly apiMode: ApiMode }[];
  /** Wire format below paths that end so. */
  readonly apiModesByPath?: readonly { readonly path: string; readonly apiMode: ApiMode }[];
  /** It speaks `apiMode` at whichever address it is asked. */
  readonly fixedApiMode?: true;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of some requests only, over `headers`. */
  readonly requestHeaders?: (request: ModelRequest) => Readonly<Record<string, string>>;
  /** Merged into every request body. */
  readonly extraBody?: JsonObject;
  readonly quirks?: Quirks;
  /** The server loads its models when it is told to, with the window that it is told (LM Studio). */
  readonly loadsModels?: boolean;
  /** A model that lives in this process; nothing is sent anywhere. */
  readonly inProcess?: () => Promise<Protocol>;
}

/**
 * All that is known of a provider. Nearly always data alone; what a field does not say is as with most providers.
 *
 * @example
 * export const example: ProviderProfile = {
 *   id: 'example',
 *   aliases: [],
 *   apiMode: 'chat_completions',
 *   baseUrl: 'https://api.example.com/v1',
 *   keyVariables: ['EXAMPLE_API_KEY'],
 *   auth: 'api_key',
 * };
 */
export interface ProviderProfile
  extends ProviderIdentity,
    ProviderAddress,
    ProviderAccess,
    ProviderModels,
    ProviderWire {}
