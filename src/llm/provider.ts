/** What is known of a provider: data, not code. */
import type { Quirks } from './endpoint.ts';
import type { ModelRoute, Protocol } from './protocol.ts';

export type ApiMode = ModelRoute['apiMode'];

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
  readonly auth: 'api_key' | 'optional_api_key' | 'none';
  /** Used when no model is set. */
  readonly defaultModel?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: Quirks;
  /** Windows in tokens by model, where the general table is wrong for this provider. */
  readonly contextLengths?: Readonly<Record<string, number>>;
  /** A model that lives in this process; nothing is sent anywhere. */
  readonly inProcess?: () => Promise<Protocol>;
}
