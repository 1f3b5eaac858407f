/** A conversation as the surfaces see it. */
import type { Agent, TurnInput } from '../agent/agent.ts';
import type { ConversationDoor } from '../agent/conversation-door.ts';
import type { Change } from '../config/edit.ts';
import type { HistoryMessage } from '../llm/message.ts';
import type { Source } from '../llm/source.ts';
import type { ModelPrice } from '../models/model-facts.ts';
import type { MemoryStore } from '../memory/memory-store.ts';
import type { Personality } from '../prompt/personalities.ts';
import type { AccountLimits } from '../providers/account-limits/account-limits.ts';
import type { SessionRow } from '../sessions/sessions.ts';
import type { CallTotals } from '../sessions/usage-log.ts';
import type { Registered } from '../plugins/packages/loaded.ts';
import type { PreloadedSkills } from '../skills/skill-commands.ts';
import type { SkillLibrary } from '../skills/skill-library.ts';
import type { BrowserSession } from '../tools/browser/browser-session.ts';
import type { JobAccess } from '../tools/cron/job-access.ts';
import type { KnownHosts } from '../tools/policy/known-hosts.ts';
import type { Reloaded, ServerReport } from '../mcp/servers.ts';
import type { TodoList } from '../tools/todo/todo-list.ts';
import type { SubAgents } from './delegation/sub-agents.ts';

/**
 * An open conversation. What is said in it goes through its agent, or through the worker that drives it.
 *
 * @example
 * for await (const event of session.agent.run('hello')) show(event);
 * await session.close('cli_close');
 */
export interface Session {
  /** That of its agent: changes with a `session_moved` event. */
  readonly id: string;
  /** Tag under which it is stored. */
  readonly source: string;
  readonly agent: Agent;
  /** True when the offline demo model answers because nothing else is set up. */
  readonly demo: boolean;
  /** Lines that the user should be told once, at the start. */
  readonly warnings: readonly string[];
  readonly knowledge: SessionKnowledge;
  /** Tools offered to the model, sorted by name. */
  readonly tools: readonly {
    readonly name: string;
    readonly toolset: string;
    readonly emoji: string;
    readonly onlyLooks: boolean;
  }[];
  readonly background: BackgroundWork;
  readonly model: SessionModel;
  readonly prompt: SessionPrompt;
  /** Approvals asked for are skipped while on; the hardline list still holds. */
  yolo: boolean;
  /** The lease under which the session is written, set by whoever drives it; undefined = none is held. */
  fence: number | undefined;
  /** The session as it is stored; undefined before the first message, and when nothing is stored. */
  row(): Promise<SessionRow | undefined>;
  /** What the requests of this session, its side tasks and its sub-agents too, cost so far. */
  spent(): Promise<CallTotals | undefined>;
  /**
   * Ends the session's row with a reason (`cli_close`, `new_session`, …) and closes its environment; without a reason the
   * conversation is only put down, and its row stays open. Safe to call twice.
   */
  close(reason: string | undefined): Promise<void>;
}

export interface SessionKnowledge {
  readonly todos: TodoList;
  /** Absent when the session keeps no memory. */
  readonly memory: MemoryStore | undefined;
  /** Absent when the session has no skills. */
  readonly skills: SkillLibrary | undefined;
  /** Scheduled jobs of the person; absent where the session may make none. */
  readonly jobs: JobAccess | undefined;
  /** The hosts that the person named, and whether text has entered that may be a stranger's. */
  readonly hosts: Pick<KnownHosts, 'allows' | 'hasStrangeText'>;
  readonly servers: SessionServers;
  /** Absent where nothing may be browsed. */
  readonly browser: Pick<BrowserSession, 'connect' | 'disconnect' | 'describe'> | undefined;
  /** For code of the owner that runs for it; absent where there is none. */
  readonly door?: ConversationDoor;
  /** All plug-ins that there are, by their keys, whether they are enabled or not. */
  plugins(): Promise<readonly PluginReport[]>;
}

export interface PluginReport {
  readonly name: string;
  readonly version: string;
  readonly status: string;
  /** Absent where it is not loaded. */
  readonly registered?: Registered;
  /** Why it is not loaded, where that is no wish of the owner. */
  readonly problem?: string;
}

/** MCP servers: those of the process, which all its sessions share. */
export interface SessionServers {
  /** Empty until they are loaded. */
  list(): readonly ServerReport[];
  /**
   * Reads the configuration again and connects to every server anew; the model is told with the next message. Resolves when
   * all are connected or given up. Throws `UserError`.
   */
  reload(signal: AbortSignal): Promise<Reloaded>;
}

/** What the session started and that goes on beside it. */
export interface BackgroundWork {
  /** Running processes. */
  readonly count: number;
  /** When each of them was started, in milliseconds since 1970. */
  readonly since: readonly number[];
  /** News since the last call, oldest first, as `display.background_process_notifications` wants it. */
  takeNotices(): readonly string[];
  /** Calls back whenever there may be news. Returns the end of that. */
  onNotice(listener: () => void): () => void;
  /** Ends the processes; returns how many were running. */
  stop(): Promise<number>;
  readonly agents: SubAgents;
}

export interface SessionModel {
  /** Tokens from which the conversation is shortened by itself with the model in use; undefined when it never is. */
  readonly compressesAt: number | undefined;
  /** `model.persist_switch_by_default`: a switch is kept without being asked for. */
  readonly keepsSwitches: boolean;
  /**
   * Switches the model for this session: `name`, `provider:name`, `custom:name`, or an alias. Returns lines the user
   * should know of. Throws `UserError`.
   */
  switch(spec: string, options?: SwitchOptions): Promise<readonly string[]>;
  /** Mixtures of models, which the provider `moa` serves; `usual` is the one that is meant where none is named. */
  mixtures(): Promise<{ readonly names: readonly string[]; readonly usual: string }>;
  /** Fetches what is known of models again, whatever its age. False when nothing new came. */
  refresh(signal: AbortSignal): Promise<boolean>;
  /** Looks for the keys and the address of the model in use again. Throws `UserError`; the model is then as it was. */
  renew(): Promise<void>;
  /** What it can be switched to, as far as that is known without asking anybody; the provider in use first. */
  known(): Promise<readonly OfferedModel[]>;
  /** Asks every provider for its list at once; `add` hears what is not known, as it comes. Ends within seconds, never rejects. */
  listed(add: (models: readonly OfferedModel[]) => void, signal: AbortSignal): Promise<void>;
  /** What the account may still use, where the provider tells it; ends within seconds, rejects only when `signal` aborts. */
  limits(signal: AbortSignal): Promise<AccountLimits | undefined>;
  /** The keys of config.yaml that make the model in use the one later sessions begin with. */
  defaultChanges(): Promise<readonly Change[]>;
}

export interface SwitchOptions {
  /** The one that a flag names. */
  readonly provider?: string | undefined;
  /** For the next turn alone. */
  readonly once?: boolean;
}

/** A model, and who serves it. What is not known is absent. */
export interface OfferedModel {
  /** Id of a provider, or `custom:<name>`. */
  readonly provider: string;
  readonly model: string;
  /** Tokens. */
  readonly contextLength?: number;
  readonly price?: ModelPrice;
}

export type Preloaded = Pick<PreloadedSkills, 'text' | 'isOwnWords'>;

export interface SessionPrompt {
  /** Added to the system prompt of each request from now on, never stored; empty = nothing. Starts as configured. */
  extra: string;
  /** What `/personality` offers. */
  readonly personalities: readonly Personality[];
  /** What goes in front of the first message, once: the skills that the session was started with; undefined for none. */
  takePreloaded(): Preloaded | undefined;
  /**
   * What to send in place of a message with `@file:`, `@folder:`, `@diff`, `@staged`, `@git:` or `@url:` in it. For
   * surfaces on the user's own machine. Rejects only when `signal` aborts.
   */
  expand(message: string, signal: AbortSignal): Promise<ExpandedInput>;
  /**
   * A message with pictures as the model is to get it: within bounds, or in the words of another model. A picture that cannot
   * be used is a word in it. Rejects only when `signal` aborts.
   */
  see(input: TurnInput, signal: AbortSignal): Promise<SeenInput>;
  /** The same for a conversation that a client keeps. */
  seeHistory(history: readonly HistoryMessage[], signal: AbortSignal): Promise<readonly HistoryMessage[]>;
  /** Somebody looks at pictures: the model itself, or one that describes them. */
  readonly seesPictures: boolean;
  /**
   * Paths that `@file:` can name, relative to the folder in use, with `/`: bounded, without hidden files and what git
   * ignores. Rejects when `signal` aborts or the folder cannot be listed.
   */
  files(signal: AbortSignal): Promise<readonly string[]>;
  /** What the next request carries besides the conversation. */
  parts(): Promise<ContextParts>;
}

export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** What the next request carries besides the conversation. */
export interface ContextParts {
  /** The system prompt in the order in which it is sent. */
  readonly prompt: readonly NamedText[];
  /** Each tool as it is sent in a request. */
  readonly tools: readonly NamedText[];
}

/** A message as the model gets it. */
export interface SeenInput {
  readonly input: TurnInput;
  /** Lines for the person. */
  readonly warnings: readonly string[];
}

/** A message with what it refers to. */
export interface ExpandedInput {
  readonly text: string;
  /** Where the text comes from: the user, and what was brought in. */
  readonly sources: readonly Source[];
  readonly warnings: readonly string[];
  /** It must not be sent; a warning says why. */
  readonly blocked: boolean;
}
