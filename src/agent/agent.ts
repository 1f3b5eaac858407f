/** One conversation with a model that has tools. */
import type { Content, HistoryMessage } from '../llm/message.ts';
import type { ModelRoute, ReasoningEffort } from '../llm/protocol.ts';
import type { CompressWish, Fit } from './context/engine.ts';
import type { AgentEvent, TokenTotals, TurnResult } from './events.ts';

export interface RunOptions {
  /** Aborting it interrupts the turn; the generator still ends with a `TurnResult`. */
  readonly signal?: AbortSignal;
  /** Stored instead of the input, when the input carries text that is meant for the model only. */
  readonly persistUserMessage?: string;
}

/**
 * `run` must not be called while a turn is under way (it throws), must never throw for anything a model, tool or
 * network does, and leaves a history that a strict provider accepts, however the turn ended.
 */
export interface Agent {
  /** Changes when the history is compressed: what follows is a session of its own. */
  readonly sessionId: string;
  /** The conversation so far, without a system message. Never mutated; replaced after each turn. */
  readonly history: readonly HistoryMessage[];
  readonly route: ModelRoute;
  readonly tokens: TokenTotals;
  /** Tokens from which the history is shortened by itself with the model in use; undefined when it never is. */
  readonly compressesAt: number | undefined;
  /** From the next turn on; undefined leaves it to the model. */
  reasoningEffort: ReasoningEffort | undefined;
  /** Asks for the faster, dearer tier from the next turn on. */
  priority: boolean;
  /** True while a turn runs. */
  readonly busy: boolean;
  /** Runs one turn. The events end with `turn_finished`; the return value is the same result. */
  run(input: Content, options?: RunOptions): AsyncGenerator<AgentEvent, TurnResult>;
  /** `run` to its end, the answer's text deltas given to `onDelta`. */
  runConversation(input: Content, options?: RunOptions & { onDelta?: (text: string) => void }): Promise<TurnResult>;
  /** The answer's text; throws `UserError` when there is none. */
  chat(text: string, options?: RunOptions & { onDelta?: (text: string) => void }): Promise<string>;
  /** Stops the running turn within a second; `message` is the text that caused it. No effect when idle. */
  interrupt(message?: string): void;
  /** Adds text to the last result of the running tool batch; false when no turn runs (send it as a message then). */
  steer(text: string): boolean;
  /** Holds text for the next turn. */
  queue(text: string): void;
  /** The next held text, if any; the surface runs it as the next turn. Includes steering that found no tool result. */
  takeQueued(): string | undefined;
  /** Continues with another model from the next turn on. Throws when busy. */
  switchRoute(route: ModelRoute): void;
  /** Shortens the history now. The result says what was done; an agent that is busy throws. */
  compress(wish?: CompressWish, signal?: AbortSignal): Promise<Fit>;
  /** Puts another history in place (undo, retry, compression). Throws when busy. */
  replaceHistory(history: readonly HistoryMessage[]): void;
}
