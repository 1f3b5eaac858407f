/** Where a service of speech is, and which key goes there. */
import { filled } from './env-values.ts';
import type { Variables } from './variables.ts';

export interface ServicePlace {
  readonly baseUrl?: string;
  /** Variables with its key, in the order in which they are looked for; absent: it needs none. */
  readonly keys?: readonly string[];
  /** Its own hosts are these and all below them: no key of the environment goes elsewhere. */
  readonly domains?: readonly string[];
  /** Variables with another address, in the order in which they are looked for. */
  readonly addressVariables?: readonly string[];
  /** Servers of others that speak its format often want no key. */
  readonly keylessElsewhere?: boolean;
  /** It is reached with something else than a key. */
  readonly keylessAnywhere?: boolean;
}

/** What its block in `config.yaml` says. */
export interface OwnPlace {
  /** The block, `tts.openai`. */
  readonly block: string;
  readonly key: string | undefined;
  readonly address: string | undefined;
}

/** Without a slash at the end of the address; `why` in words for the owner. */
export type Reached = { readonly baseUrl: string; readonly key?: string } | { readonly why: string };

/**
 * A key of the environment goes to the hosts of its service, and where a variable of the environment leads; another address
 * gets the key that stands beside it.
 */
export function reachService(place: ServicePlace, own: OwnPlace, env: Variables): Reached {
  const { keys = [], addressVariables = [] } = place;
  const firstOf = (names: readonly string[]): string | undefined =>
    names.map((name) => filled(env[name])).find((found) => found !== undefined);
  const baseUrl = (own.address ?? firstOf(addressVariables) ?? place.baseUrl ?? '').trim().replace(/\/+$/, '');
  if (keys.length === 0) return { baseUrl };
  if (!/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
    return { why: `${own.block}.base_url '${baseUrl}' is no http address` };
  const elsewhere = own.address !== undefined && !isOf(place, own.address);
  const key = own.key ?? (elsewhere ? undefined : firstOf(keys));
  if (key !== undefined) return { baseUrl, key };
  if (place.keylessAnywhere === true) return { baseUrl };
  if (!elsewhere) return { why: `${keys.join(' or ')} is not set` };
  if (place.keylessElsewhere === true) return { baseUrl };
  return { why: `${own.block}.api_key is not set; ${keys[0]} is not sent to ${URL.parse(baseUrl)?.host}` };
}

function isOf({ domains = [] }: ServicePlace, address: string): boolean {
  const { protocol, hostname } = URL.parse(address) ?? { protocol: '', hostname: '' };
  const isHost = (domain: string): boolean => hostname === domain || hostname.endsWith(`.${domain}`);
  return protocol === 'https:' && domains.some(isHost);
}
