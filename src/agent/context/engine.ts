/** Decides when and how a history is shortened before it is sent. */
import type { HistoryMessage } from '../../llm/message.ts';
import type { ToolSchema } from '../../llm/protocol.ts';

export interface ContextRequest {
  readonly history: readonly HistoryMessage[];
  readonly systemPromptChars: number;
  readonly tools: readonly ToolSchema[];
  /** Window of the model in tokens, when known. */
  readonly contextLength?: number;
  /** Prompt tokens of the latest request, as the provider counted them. */
  readonly lastPromptTokens?: number;
  /** The provider refused the request as too long: shorten now, whatever the estimate says. */
  readonly overflow: boolean;
  /** What the provider said when it refused. */
  readonly refusal?: string;
  /** Which model at which address is about to be asked. */
  readonly model: string;
  readonly baseUrl: string;
}

/**
 * Must return the same array (`===`) when nothing is to be done, must keep call/result pairs whole and the latest
 * user message verbatim, and must never lose a message that is not also kept on disk.
 */
export interface ContextEngine {
  readonly name: string;
  /** The history to send, or `undefined` when it must be shortened but cannot be. */
  fit(request: ContextRequest, signal: AbortSignal): Promise<readonly HistoryMessage[] | undefined>;
}

/** Sends every history whole; a conversation that outgrows its model ends with a clear error. */
export const wholeHistory: ContextEngine = {
  name: 'whole-history',
  fit: ({ history, overflow }) => Promise.resolve(overflow ? undefined : history),
};
