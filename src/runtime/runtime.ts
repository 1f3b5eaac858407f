/** What a surface gets from the composition root: sessions to talk in, and the store behind them. */
import type { Agent } from '../agent/agent.ts';
import type { Human } from '../agent/human.ts';
import type { Change } from '../config/edit.ts';
import type { Personality } from '../prompt/personalities.ts';
import type { ExpandedMessage } from '../references/expand.ts';
import type { MemoryStore } from '../memory/memory-store.ts';
import type { SessionStore } from '../sessions/session-store.ts';
import type { SessionRow } from '../sessions/sessions.ts';
import type { CallTotals } from '../sessions/usage-log.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import type { TodoList } from '../tools/todo/todo-list.ts';
import type { ContextParts } from './context-parts.ts';

export interface OpenSessionOptions {
  /** Skills that stay in force for the session; they go along with its first message. Unknown ones are a `UserError`. */
  readonly preload?: readonly string[];
  /**
   * Whether the session gives itself a title and looks back for memory and skills, with requests beside the
   * conversation; for surfaces where somebody stays. Default false.
   */
  readonly learns?: boolean;
  /** Told in one line what was learned beside the conversation. */
  readonly onLearned?: (line: string) => void;
  /** An existing session to continue; a new one is made when absent. */
  readonly resume?: SessionRow;
  /** Tag of a new session; default `cli`. */
  readonly source?: string;
  readonly title?: string;
  readonly human: Human;
  /** Told one line for each file that could not be used, and for each side task whose model failed. */
  readonly onWarning?: (line: string) => void;
}

export interface Session {
  /** Changes when the history is compressed: what follows is stored as a session of its own. */
  readonly id: string;
  readonly agent: Agent;
  readonly todos: TodoList;
  /** Absent when the session keeps no memory. */
  readonly memory: MemoryStore | undefined;
  /** Absent when the session has no skills. */
  readonly skills: SkillLibrary | undefined;
  /** Tools offered to the model, sorted by name. */
  readonly tools: readonly { readonly name: string; readonly toolset: string; readonly emoji: string }[];
  /** Approvals asked for are skipped while on; the hardline list still holds. */
  yolo: boolean;
  /** Added to the system prompt of each request from now on, never stored; empty = nothing. Starts as configured. */
  extraPrompt: string;
  /** What `/personality` offers. */
  readonly personalities: readonly Personality[];
  /**
   * What to send in place of a message with `@file:`, `@folder:`, `@diff`, `@staged`, `@git:` or `@url:` in it. For
   * surfaces on the user's own machine. Rejects only when `signal` aborts.
   */
  expand(message: string, signal: AbortSignal): Promise<ExpandedMessage>;
  /** What goes in front of the first message, once: the skills that the session was started with. */
  takePreloaded(): string;
  /** Running background processes. */
  readonly backgroundCount: number;
  /** News of background processes since the last call, oldest first, as `display.background_process_notifications` wants it. */
  takeNotices(): readonly string[];
  /** Calls back whenever there may be news. Returns the end of that. */
  onNotice(listener: () => void): () => void;
  /** Ends all background processes; returns how many were running. */
  stopBackground(): Promise<number>;
  /**
   * Switches the model for this session: `name`, `provider:name`, `custom:name`, or an alias; `provider` is the one that
   * a flag names. Returns lines the user should know of. Throws `UserError`.
   */
  switchModel(spec: string, provider?: string): Promise<readonly string[]>;
  /** The keys of config.yaml that make the model in use the one later sessions begin with. */
  defaultModelChanges(): Promise<readonly Change[]>;
  /** What the next request carries besides the conversation. */
  contextParts(): Promise<ContextParts>;
  /** What the requests of this session, its side tasks too, cost so far. */
  spent(): Promise<CallTotals | undefined>;
  /** The session as it is stored; undefined before the first message, and when nothing is stored. */
  row(): Promise<SessionRow | undefined>;
  /** Ends the session's row with a reason (`user_exit`, `new_session`, …) and closes its environment. Safe to call twice. */
  close(reason: string): Promise<void>;
}

export interface Runtime {
  /** Undefined when the database cannot be opened; the conversation then runs unsaved, and a warning says so. */
  readonly store: SessionStore | undefined;
  /** Things the user should be told once, at start. */
  readonly warnings: readonly string[];
  /** True when the offline demo model answers. */
  readonly demo: boolean;
  openSession(options: OpenSessionOptions): Promise<Session>;
  close(): Promise<void>;
}
