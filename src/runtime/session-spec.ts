/** Everything that makes one conversation, for every kind of run. */
import type { Human } from '../agent/human.ts';
import type { Tool } from '../agent/tool.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { RouteRequest } from '../providers/choose-provider.ts';
import type { SessionChat, SessionRow } from '../sessions/sessions.ts';
import type { JobOrigin } from '../tools/cron/job-access.ts';
import type { ServerToolChoice } from './choose-server-tools.ts';
import type { Session } from './session.ts';

/**
 * A conversation as a surface asks for it. Everything but `surface` and `human` has a default that a person at a terminal
 * would expect.
 *
 * @example
 * const session = await program.openSession({ surface: 'cli', human: headless });
 * console.log(await session.agent.chat('what is in this folder?'));
 */
export interface SessionSpec {
  /** Where the user sits: picks the platform's tools and the hint in the prompt. */
  readonly surface: string;
  readonly human: Human;
  /** Tag of the stored session; default: the surface. */
  readonly source?: string;
  /** Whose conversation it is; default: that of nobody in particular (the terminal). */
  readonly userId?: string;
  /** An existing session to continue with its stored prompt and history; a new one is made when absent. */
  readonly resume?: SessionRow;
  /**
   * An open session of the same program that the new one works for: it is stored as that one's child, begins with what has
   * entered it, and counts under its caps as well.
   */
  readonly parent?: Session;
  /** What a new session is stored as, and what stands in the place of what is stored. */
  readonly stored?: StoredAs;
  /** Directory that commands and relative paths start from; default: that of the resumed session, or the program's. */
  readonly cwd?: string;
  /** Which model, or one that was resolved already. Default: the configured model. */
  readonly route?: RouteRequest | ModelRoute;
  /** Names of toolsets and tools; default: those of the surface. */
  readonly toolsets?: readonly string[];
  /** Tools besides those of the program, asked for before each turn: they may come and go. Must not throw. */
  tools?(): readonly Tool<unknown>[];
  /** Model requests per turn; default `agent.max_turns`. */
  readonly maxSteps?: number;
  readonly prompt?: PromptSpec;
  readonly mode?: SessionMode;
  /** Told one line at a time, whatever a person should know beside the events of a turn. Must not throw. */
  notify?(notice: SessionNotice): void;
}

export interface StoredAs {
  /** Must not be stored yet; default: one is made. */
  readonly id?: string;
  /** What was said before, in the place of what is stored of a resumed session; the store keeps what it has. */
  readonly history?: readonly HistoryMessage[];
  readonly title?: string;
  /** The chat that it belongs to. */
  readonly chat?: SessionChat;
}

/** Parts of the system prompt that a surface adds or leaves out. */
export interface PromptSpec {
  /** No SOUL.md, project files, memory or preloaded skills. */
  readonly ignoreRules?: boolean;
  /** No project files: the folder was not chosen for its project. */
  readonly ignoreProject?: boolean;
  /** Skills that stay in force for the session; they go along with its first message. Unknown ones are a `UserError`. */
  readonly preload?: readonly string[];
  /** Names the session's id. */
  readonly passSessionId?: boolean;
  /** From the caller of this session, such as an API request. */
  readonly systemMessage?: string;
}

export interface SessionMode {
  /** A resumed session stays in the program's directory instead of going back to its own. */
  readonly keepCwd?: boolean;
  /** Files are kept as they are before they are changed, whatever `checkpoints.enabled` says. */
  readonly checkpoints?: boolean;
  /** Approvals are skipped; what is never run stays so. */
  readonly yolo?: boolean;
  /**
   * The session gives itself a title and looks back for memory and skills, with requests beside the conversation; for
   * surfaces where somebody stays.
   */
  readonly learns?: boolean;
  /** Told the title that it gave itself. Must not throw. */
  titled?(title: string, sessionId: string): void;
  /** What its sub-agents bring can come later, as a message of its own. */
  readonly later?: LaterResults;
  /** The chat that scheduled jobs of its making belong to, and answer in. */
  readonly jobOrigin?: JobOrigin;
  /** The scheduled job that it works for: what it costs counts under the caps of that job. */
  readonly jobId?: string;
  /** A surface: what was taken from its sessions in the settings, this one has not either. */
  readonly within?: string;
  /**
   * Its route is an agent of its own, on another machine: that gets the surface's part of the prompt and what is said, and
   * nothing is asked of a model here.
   */
  readonly elsewhere?: boolean;
  /** It works for its `parent` as a sub-agent. */
  readonly subAgent?: SubAgentMode;
  /** Falls back to the offline demo model when nothing is configured; otherwise that is a `NotConfiguredError`. */
  readonly allowDemo?: boolean;
}

export interface LaterResults {
  /** The key of the chat that it is brought into; absent: the session itself. */
  readonly chat?: string;
  /** Who is asked for what works while no turn runs; default: the person of the session. */
  readonly human?: Human;
}

export interface SubAgentMode {
  /** What it is called for people. */
  readonly id: string;
  /** 1: for the conversation of a person; 2: for a sub-agent of that. */
  readonly depth: number;
  /** Names of single tools, in the place of toolsets: these and no others. */
  readonly tools: readonly string[];
  /** Which tools of MCP servers it has: those of its parent; absent: none. */
  readonly servers?: ServerToolChoice;
}

/** `learned`: written down beside the conversation. `warning`: a file or a model that could not be used. */
export interface SessionNotice {
  readonly kind: 'learned' | 'warning';
  readonly line: string;
}
