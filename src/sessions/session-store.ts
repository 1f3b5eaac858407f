/** What was said, durably. */
import type { JsonObject } from '../lib/json.ts';
import type { HistoryMessage } from '../llm/message.ts';

export interface NewSession {
  readonly id: string;
  readonly source: string;
  readonly model?: string;
  readonly modelConfig?: JsonObject;
  readonly userId?: string;
  readonly parentSessionId?: string;
  readonly systemPrompt?: string;
}

/** A row of `sessions`; names follow the columns. Times are Unix seconds. */
export interface SessionRow {
  readonly id: string;
  readonly source: string;
  readonly user_id: string | null;
  readonly model: string | null;
  readonly model_config: string | null;
  readonly system_prompt: string | null;
  readonly parent_session_id: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly end_reason: string | null;
  readonly message_count: number;
  readonly tool_call_count: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly billing_provider: string | null;
  readonly billing_base_url: string | null;
  readonly billing_mode: string | null;
  readonly estimated_cost_usd: number | null;
  readonly actual_cost_usd: number | null;
  readonly cost_status: string | null;
  readonly cost_source: string | null;
  readonly pricing_version: string | null;
  readonly title: string | null;
  readonly api_call_count: number;
}

export interface SessionSummary extends SessionRow {
  /** First user message, one line, 60 characters. */
  readonly preview: string;
  readonly last_active: number;
}

/** A stored message with its place. */
export interface StoredMessage {
  readonly id: number;
  readonly timestamp: number;
  readonly message: HistoryMessage;
}

export interface UsageDelta {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly api_calls: number;
  readonly model?: string;
  readonly billing_provider?: string;
  readonly billing_base_url?: string;
  readonly billing_mode?: string;
  readonly estimated_cost_usd?: number;
  readonly cost_status?: string;
  readonly cost_source?: string;
  /** The side task that asked, when it was not the conversation. */
  readonly task?: string;
  /** The cron job that the session works for. */
  readonly job_id?: string;
}

/** Whose requests are summed up: everybody's since a time (Unix seconds), a job's, or a session's with its parents. */
export type SpentScope = { readonly since: number } | { readonly jobId: string } | { readonly sessionId: string };

export interface CallTotals {
  readonly calls: number;
  /** In and out, cached ones too. */
  readonly tokens: number;
  /** Of the requests whose price is known. */
  readonly usd: number;
}

export interface UsageAmounts {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Null when no request had a price. */
  readonly usd: number | null;
  /** Requests without a price. */
  readonly unpriced: number;
}

export interface UsageReport {
  readonly models: readonly (UsageAmounts & { readonly provider: string; readonly model: string })[];
  /** Local days, newest first. */
  readonly days: readonly (UsageAmounts & { readonly day: string })[];
  readonly tools: readonly { readonly name: string; readonly uses: number }[];
  readonly sessions: number;
  readonly questions: number;
  readonly messages: number;
}

export interface SearchQuery {
  readonly query: string;
  readonly sources?: readonly string[];
  /** Default: `tool` sessions are hidden. */
  readonly excludeSources?: readonly string[];
  readonly roles?: readonly string[];
  /** Only sessions of this person; null: of nobody in particular (the terminal). Default: everybody's. */
  readonly userId?: string | null;
  readonly excludeSessions?: readonly string[];
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

/** A piece of a transcript around one message, and its two ends. Every list is in order. */
export interface TranscriptPart {
  readonly first: readonly StoredMessage[];
  readonly around: readonly StoredMessage[];
  readonly last: readonly StoredMessage[];
  /** Messages of the session before the first of `around`, and after the last. */
  readonly before: number;
  readonly after: number;
}

/** The continuation of a session: what was compressed, or a branch. */
export interface ChildSession {
  readonly id: string;
  readonly systemPrompt?: string;
  /** Its whole transcript. */
  readonly messages: readonly HistoryMessage[];
  /** Why the parent ends: `compression`, `branched` … */
  readonly parentEndReason: string;
  /** Default: the next number of the parent's title, when that has one. */
  readonly title?: string;
}

export interface StoreStats {
  readonly sessions: number;
  readonly messages: number;
  readonly bySource: Readonly<Record<string, number>>;
  readonly sizeBytes: number;
}

/**
 * Every method is durable against a killed process when its promise resolves. Implementations must keep unknown
 * columns, tables and newer schema versions untouched. Errors a user can act on are `UserError`s.
 */
export interface SessionStore {
  /** Creates the row unless it exists. */
  createSession(session: NewSession): Promise<void>;
  getSession(id: string): Promise<SessionRow | undefined>;
  /** Appends in one transaction with its counters; returns the message's id. */
  appendMessage(sessionId: string, message: HistoryMessage): Promise<number>;
  /** Removes the newest message of a session and corrects the counters; nothing when there is none. */
  dropLastMessage(sessionId: string): Promise<void>;
  /**
   * In one transaction: ends the parent, creates a child with the same source, user and model, and fills it.
   * The parent keeps its own messages and title. Returns the child. Throws `UserError` when there is no such parent.
   */
  createChild(parentId: string, child: ChildSession): Promise<SessionRow>;
  /** The history as the agent wants it. */
  getConversation(sessionId: string): Promise<HistoryMessage[]>;
  getMessages(sessionId: string): Promise<StoredMessage[]>;
  /** Replaces the whole transcript and its counters in one transaction. */
  rewriteTranscript(sessionId: string, messages: readonly HistoryMessage[]): Promise<void>;
  /** Books one request: in the session's counters, unless a side task asked, and in the list of all requests. */
  addUsage(sessionId: string | undefined, delta: UsageDelta): Promise<void>;
  spent(scope: SpentScope): Promise<CallTotals>;
  /** Since Unix seconds. */
  usageReport(options: { since: number; source?: string }): Promise<UsageReport>;
  setSystemPrompt(sessionId: string, prompt: string): Promise<void>;
  endSession(sessionId: string, reason: string): Promise<void>;
  reopenSession(sessionId: string): Promise<void>;
  /** Cleaned and checked; returns the stored title (null when cleared). Throws `UserError` when too long or taken. */
  setTitle(sessionId: string, title: string): Promise<string | null>;
  /** `base`, or `base #N` with the next free number. */
  nextTitle(base: string): Promise<string>;
  /** Exact id, else unique id prefix, else title by the lineage rule; follows compression to the live child. */
  resolve(reference: string): Promise<SessionRow | undefined>;
  /** Exact id, else unique id prefix; no titles, no lineage: for commands that act on one row. */
  findById(reference: string): Promise<SessionRow | undefined>;
  /** Most recently started session of a source, if any. */
  latest(source: string): Promise<SessionRow | undefined>;
  list(options?: {
    source?: string;
    excludeSources?: readonly string[];
    userId?: string | null;
    excludeSessions?: readonly string[];
    limit?: number;
    offset?: number;
  }): Promise<SessionSummary[]>;
  /** All ids, newest first, `tool` sessions too. */
  sessionIds(options?: { source?: string }): Promise<string[]>;
  search(query: SearchQuery): Promise<SearchHit[]>;
  /**
   * The session and all that it is one conversation with: what it was compressed or branched from, up to the
   * first, and everything that came of that. Ids, the first session first, at most 1,000; empty when there is none.
   */
  lineage(id: string): Promise<string[]>;
  /**
   * Up to `span` messages on each side of a message (default: the newest), and up to `ends` of each end of its session. Messages of other
   * roles than `roles` are passed over, but for the one in the middle. Undefined when the session has no such message.
   */
  readAround(
    place: { readonly sessionId: string; readonly messageId?: number },
    options: { readonly span: number; readonly ends?: number; readonly roles?: readonly string[] },
  ): Promise<TranscriptPart | undefined>;
  /**
   * One line of JSON in pieces: all columns and a `messages` array. Nothing when there is no such session.
   * Memory stays flat however long it is.
   */
  exportSession(id: string): AsyncIterable<string>;
  /** True when it existed. Children stay, with no parent. */
  deleteSession(id: string): Promise<boolean>;
  prune(options: { olderThanDays: number; source?: string }): Promise<number>;
  stats(): Promise<StoreStats>;
  /** Gives the space of deleted rows back to the system. */
  vacuum(): Promise<void>;
  /** What is wrong with the stored data; empty when it is sound. Reads everything, so not for every start. */
  checkIntegrity(): Promise<string[]>;
  /** Builds all indexes, the search index too, anew from the rows. */
  rebuildIndexes(): Promise<void>;
  getMeta(key: string): Promise<string | undefined>;
  setMeta(key: string, value: string): Promise<void>;
  close(): Promise<void>;
}
