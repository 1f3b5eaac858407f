/** Search over everything that was said. */

export interface SearchQuery {
  readonly query: string;
  readonly sources?: readonly string[];
  /** Default: `tool` sessions are hidden. */
  readonly excludeSources?: readonly string[];
  readonly roles?: readonly string[];
  /** Only sessions of this person; null: of nobody in particular (the terminal). Default: everybody's. */
  readonly userId?: string | null;
  readonly excludeSessions?: readonly string[];
  /** Sessions whose conversation is known already: of these only what was compacted away is found. */
  readonly knownSessions?: readonly string[];
  /** Only the best message of each session. */
  readonly onePerSession?: boolean;
  /** Default `best`; the others go by the time of the message. */
  readonly order?: 'best' | 'newest' | 'oldest';
  readonly limit?: number;
  readonly offset?: number;
}

export interface SearchHit {
  readonly id: number;
  readonly session_id: string;
  readonly role: string;
  readonly timestamp: number;
  readonly tool_name: string | null;
  /** About 40 tokens, hits between `>>>` and `<<<`. */
  readonly snippet: string;
  readonly source: string;
  readonly model: string | null;
  readonly session_started: number;
  /** One message before and one after, content cut to 200 characters. */
  readonly context: readonly { readonly role: string; readonly content: string }[];
}

/**
 * Finds messages, also those that a compaction put away, but none that were taken back: by words, "phrases", AND, OR, NOT and prefix*.
 *
 * @example
 * const hits = await store.search.messages({ query: 'deploy* NOT staging', roles: ['user', 'assistant'] });
 */
export interface MessageSearch {
  /** Never throws for what the query says; a blank one finds nothing. */
  messages(query: SearchQuery): Promise<SearchHit[]>;
}
