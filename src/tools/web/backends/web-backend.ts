/** A service that searches the web or reads pages. */
import type { Config } from '../../../config/schema.ts';
import type { WebAccess } from '../web-access.ts';

/** What is known of a backend without loading it. */
export interface BackendEntry {
  /** As the configuration names it. */
  readonly id: string;
  /** For messages. */
  readonly name: string;
  readonly capabilities: readonly Capability[];
  /** What it does nothing without: a variable, or several in words. Absent: it needs nothing. */
  readonly needs?: string;
  /** Never chosen by itself. */
  readonly onlyNamed?: true;
  /** A model reads the query and may open whatever it names, so a query can reach anybody. */
  readonly asksAModel?: true;
  /** Must not ask the network. */
  isAvailable(access: WebAccess): boolean;
  /** Whose words its results are, for the record of where text came from. */
  host(access: WebAccess): string;
  load(): Promise<WebBackend>;
}

export type Capability = 'search' | 'extract';

/**
 * Must: bound what it reads and answer within its deadline, throw `UserError` with one line for what went wrong, give
 * addresses and texts as the service wrote them.
 * Must not: follow redirects, put a key into an error.
 */
export interface WebBackend {
  /** Best first, at most `limit`. */
  search?(query: string, limit: number, request: WebRequest): Promise<readonly SearchHit[]>;
  /** One entry for each address, in any order. They were checked already. */
  extract?(urls: readonly string[], request: WebRequest): Promise<readonly ExtractedPage[]>;
}

export interface WebRequest {
  readonly access: WebAccess;
  readonly config: Pick<Config, 'web' | 'security'>;
  readonly signal: AbortSignal;
  /** Why an address must not be read, a redirect's too; undefined when it may. */
  readonly refuse: (url: URL) => string | undefined;
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly description: string;
}

export interface ExtractedPage {
  /** As it was asked for. */
  readonly asked: string;
  /** After redirects, as far as the backend says. */
  readonly url: string;
  readonly title: string;
  readonly content: string;
  /** Absent: it was read. */
  readonly error?: string;
}
