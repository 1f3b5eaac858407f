/** How the web tools reach the world: what the runtime hands them. */
import type { LookupFunction } from 'node:net';
import type { Way } from '../../config/tool-gateway.ts';
import type { WebVariables } from '../../config/web-variables.ts';
import type { Credential, Outcome } from '../../credentials/credential.ts';
import type { Fetch } from '../../lib/fetch-over.ts';
import type { Proxies } from '../../lib/proxies.ts';
import type { BlockedSites } from './blocked-sites.ts';
import type { FoundAddresses } from './found-addresses.ts';

export interface WebAccess {
  readonly variables: WebVariables;
  /** How Firecrawl is reached. */
  readonly firecrawl: Way;
  /** For services that the owner set up, and those that this program knows by itself; follows no redirect. */
  readonly fetch: Fetch;
  /** For addresses that anybody may have written. */
  readonly proxies: Proxies;
  /** Default: the system's resolver. */
  readonly lookup?: LookupFunction;
  readonly xai: XaiAccess;
  /** Until a service is asked again. Rejects with the signal's reason. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** What searches of this session gave. */
  readonly found: FoundAddresses;
  /** `security.website_blocklist` */
  readonly blocked: Pick<BlockedSites, 'find'> & Partial<Pick<BlockedSites, 'refresh'>>;
}

/** The login or the key of xAI, one pool with that of the models. */
export interface XaiAccess {
  /** Asks nobody, and reads little. */
  isThere(): boolean;
  /** The login before the key; undefined when neither is any good. */
  take(signal: AbortSignal): Promise<XaiCredential | undefined>;
}

export interface XaiCredential {
  readonly kind: 'xai-oauth' | 'xai';
  /** With the version in its path, without a slash at its end. */
  readonly baseUrl: string;
  readonly credential: Credential;
  /** To be told once how a request with it went: true when the next `take` gives something else to try. */
  report(outcome: Outcome, signal: AbortSignal): Promise<boolean>;
}
