/** The rows of sessions: what a conversation is called, where it came from, and how it goes on. */
import type { JsonObject } from '../lib/json.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { Source } from '../llm/source.ts';
import type { FencedWrite } from './leases.ts';

export interface NewSession {
  readonly id: string;
  readonly source: string;
  readonly model?: string;
  /** `max_iterations`, `reasoning_config`, `max_tokens`, and what the session came of. */
  readonly modelConfig?: JsonObject;
  readonly workspace?: Workspace;
  readonly userId?: string;
  /** The session it comes of or works for: what has entered that one counts as having entered this one. */
  readonly parentSessionId?: string;
  readonly systemPrompt?: string;
  readonly chat?: SessionChat;
}

/** The chat that a session belongs to; the columns that the original looks it up by. */
export interface SessionChat {
  readonly sessionKey: string;
  readonly chatId: string;
  readonly chatType: string;
  readonly threadId: string | null;
  readonly displayName: string | null;
  /** The profile that serves it, where one process serves several and this is not the default one. */
  readonly profile?: string | undefined;
  /** The whole origin, as JSON. */
  readonly origin: string;
}

/** The folder a session works in, and the repository around it. */
export interface Workspace {
  /** Absolute. */
  readonly cwd: string;
  readonly gitBranch?: string;
  readonly gitRepoRoot?: string;
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
  readonly cwd: string | null;
  readonly git_branch: string | null;
  readonly git_repo_root: string | null;
  /** How often turns were taken back. */
  readonly rewind_count: number;
  readonly archived: boolean;
}

export interface SessionSummary extends SessionRow {
  /** The first that the person said, one line, 60 characters. */
  readonly preview: string;
  readonly last_active: number;
  /** The first session of a conversation that was continued in others; this row is the one it goes on in. */
  readonly lineage_root_id?: string;
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
  /** Default: the parent's. */
  readonly model?: string;
}

/** Which sessions a list shows. */
export interface SessionFilter {
  readonly source?: string;
  /** Default: sessions of the source `tool`, unless that source is asked for. */
  readonly excludeSources?: readonly string[];
  /** Only sessions of this person; null: of nobody in particular. Default: everybody's. */
  readonly userId?: string | null;
  readonly excludeSessions?: readonly string[];
  /** Default: only those that are not archived. */
  readonly archived?: 'only' | 'also';
  /** Only sessions of this folder, or of one below it. */
  readonly cwd?: string;
  /** Runs of sub-agents too, and each session that a conversation was compacted into as one of its own. */
  readonly children?: boolean;
  /** Default `started`, newest first; `active`: what was said in last comes first, in whichever session it went on. */
  readonly order?: 'started' | 'active';
  /** Default 20. */
  readonly limit?: number;
  readonly offset?: number;
}

/**
 * Sessions without their messages. Ids are those of `newSessionId`, times are Unix seconds.
 *
 * @example
 * await store.sessions.create({ id: newSessionId(), source: 'cli', model: 'some-model' });
 * const last = await store.sessions.latest('cli');
 */
export interface Sessions {
  /** Creates the row unless it exists; a prompt that is given is stored with it either way. */
  create(session: NewSession): Promise<void>;
  get(id: string): Promise<SessionRow | undefined>;
  /**
   * In one transaction: ends the parent, creates a child with the same source, user, model and sources, and fills it.
   * The parent keeps its own messages and title; who holds it holds the child too. Returns the child. Throws
   * `UserError` when there is no such parent; whatever it throws, nothing has changed.
   */
  createChild(parentId: string, child: ChildSession, options?: FencedWrite): Promise<SessionRow>;
  /** Everything that ever entered the session: undoing, rewriting and compacting never shrink it. */
  sources(id: string): Promise<readonly Source[]>;
  setSystemPrompt(id: string, prompt: string): Promise<void>;
  /** The first reason stays until the session is reopened. A session that another process continues does not end. */
  end(id: string, reason: string): Promise<void>;
  reopen(id: string): Promise<void>;
  /** Cleaned and checked; returns the stored title (null when cleared). Throws `UserError` when too long or taken. */
  setTitle(id: string, title: string): Promise<string | null>;
  /**
   * Gives a session without a title this one, or `title #N` with the next free number, in one transaction; returns what was
   * stored. Null when it has a title, which stays, or is not stored itself.
   */
  giveTitle(id: string, title: string): Promise<string | null>;
  /** Exact id, else unique id prefix, else title by the lineage rule; follows compression to the live child. */
  resolve(reference: string): Promise<SessionRow | undefined>;
  /** By its title alone, in the way of `resolve`. */
  titled(title: string): Promise<SessionRow | undefined>;
  /** Exact id, else unique id prefix; no titles, no lineage: for commands that act on one row. */
  findById(reference: string): Promise<SessionRow | undefined>;
  /** The session of a source in which something was said last, if any. */
  latest(source: string): Promise<SessionRow | undefined>;
  /**
   * Conversations and their branches, newest first. A conversation that was continued in another session counts once,
   * as the session it goes on in. Archived ones and runs of sub-agents are left out.
   */
  list(filter?: SessionFilter): Promise<SessionSummary[]>;
  /**
   * The session and all that it is one conversation with: what it was compressed or branched from, up to the
   * first, and everything that came of that. Ids, the first session first, at most 1,000; empty when there is none.
   */
  lineage(id: string): Promise<string[]>;
}
