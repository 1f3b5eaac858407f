/** One conversation with a model that has tools. */
import type { Content, HistoryMessage, UserKind } from '../llm/message.ts';
import type { ModelRoute, ReasoningEffort } from '../llm/protocol.ts';
import type { Source } from '../llm/source.ts';
import type { CompressRequest, Fit } from './context/engine.ts';
import type { AgentEvent, TokenTotals, TurnResult } from './events.ts';

/** What a turn begins with. */
export interface TurnInput {
  readonly content: Content;
  /** What the model is sent in place of a text: what a command stands for, while the person is shown the command. */
  readonly sent?: string;
  /** Default `said`. */
  readonly kind?: UserKind;
  /** Default: the user. A message that quotes a page names the page as well. */
  readonly sources?: readonly Source[];
  /** The id that a chat platform gave it; stored with it. */
  readonly platformMessageId?: string;
  /** The person sees already what it stands for, such as the command that made it: no surface repeats it. */
  readonly shown?: true;
  /** It is the last message of the history already: the turn answers that one. */
  readonly stored?: true;
}

export interface RunOptions {
  /** Aborting it interrupts the turn; the generator still ends with a `TurnResult`. */
  readonly signal?: AbortSignal;
}

/** Settings that a person changes between turns; each holds from the next turn on. */
export interface AgentSettings {
  /** Undefined leaves it to the model. */
  reasoningEffort: ReasoningEffort | undefined;
  /** Asks for the faster, dearer tier. */
  priority: boolean;
}

/** After one turn with another model. */
export interface WayBack {
  readonly note: string | undefined;
}

/** What can be seen of an agent at any time. */
interface AgentState {
  /** Changes with a `session_moved` event, and with `compress`. */
  readonly sessionId: string;
  /** The conversation so far, without a system message. Never mutated; replaced after each turn. */
  readonly history: readonly HistoryMessage[];
  readonly route: ModelRoute;
  readonly tokens: TokenTotals;
  /** How often the history was shortened since the agent was made. */
  readonly compactionCount: number;
  /** True while a turn runs. */
  readonly busy: boolean;
}

/**
 * `run` must not be called while a turn is under way (it throws), must never throw for anything a model, tool or
 * network does, and leaves a history that a strict provider accepts, however the turn ended.
 *
 * @example
 * const turn = agent.run('what is in this folder?', { signal });
 * for await (const event of turn) show(event);
 */
export interface Agent extends AgentState {
  readonly settings: AgentSettings;
  /** Runs one turn. The events end with `turn_finished`; the return value is the same result. */
  run(input: Content | TurnInput, options?: RunOptions): AsyncGenerator<AgentEvent, TurnResult>;
  /** `run` to its end, the answer's text deltas given to `onDelta`. */
  runConversation(
    input: Content | TurnInput,
    options?: RunOptions & { onDelta?: (text: string) => void },
  ): Promise<TurnResult>;
  /** The answer's text; throws `UserError` when there is none. */
  chat(text: string, options?: RunOptions & { onDelta?: (text: string) => void }): Promise<string>;
  /** Stops the running turn within a second; `message` is the text that caused it. No effect when idle. */
  interrupt(message?: string): void;
  /**
   * The running turn reads the text before its next request; false when no turn runs. `sources`: whose words they are;
   * default: the user's. With `onRead` it is the caller's when the turn ends without it: nothing keeps it then.
   */
  steer(text: string, sources?: readonly Source[], onRead?: () => void): boolean;
  /** Steering that came too late for the turn; the surface runs it as the next one. Takes it away. */
  takeLateSteering(): TurnInput | undefined;
  /** For the model alone, before the next message of the user; what was left there before stays. */
  leaveNote(text: string): void;
  /**
   * Continues with another model from the next turn on. `note` tells the model what changed for it. True when the
   * conversation is so long for it that the next turn shortens it first. With `back` it is for the next turn alone: then
   * comes the model from before, which is told the note of `back`. Throws when busy.
   */
  switchRoute(route: ModelRoute, note?: string, back?: WayBack): boolean;
  /** Shortens the history now. The result says what was done; an agent that is busy throws. */
  compress(request?: CompressRequest, signal?: AbortSignal): Promise<Fit>;
  /** Puts another history in place (undo, retry). Throws when busy. */
  replaceHistory(history: readonly HistoryMessage[]): void;
}
