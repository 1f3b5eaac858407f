/** Decides when and how a history is shortened before it is sent. */
import type { HistoryMessage } from '../../llm/message.ts';
import type { ToolSchema } from '../../llm/protocol.ts';

/** Which model at which address is asked. */
export interface ContextModel {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  /** Window of the model in tokens, when known. */
  readonly contextLength?: number;
}

/** About the model that is about to be asked. */
export interface ContextRequest extends ContextModel {
  readonly history: readonly HistoryMessage[];
  readonly systemPromptChars: number;
  readonly tools: readonly ToolSchema[];
  /** Prompt tokens of the latest request, as the provider counted them. */
  readonly lastPromptTokens?: number;
  /** The provider refused the request as too long: shorten now, whatever the estimate says. */
  readonly overflow: boolean;
  /** What the provider said when it refused. */
  readonly refusal?: string;
  /** Awaited before messages are taken out: the last chance to save what matters. Never rejects. */
  readonly beforeShortening?: () => Promise<void>;
}

/** What a person asks for with `/compress`. */
export interface CompressWish {
  /** A topic that the summary gives priority to. */
  readonly focus?: string;
  /** Newest exchanges that stay as they are; the rest is summarised. */
  readonly keepExchanges?: number;
}

/** Tokens are estimates. */
export interface Compaction {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  /** False: the summariser could not be had, and a list of facts stands in for its summary. */
  readonly summarised: boolean;
}

export interface Fit {
  /** The same array (`===`) when nothing was done. */
  readonly history: readonly HistoryMessage[];
  /** False: too long, and cannot be shortened any further. */
  readonly fits: boolean;
  /** Lines for the user. */
  readonly notices: readonly string[];
  /** Present when messages were taken out. */
  readonly compaction?: Compaction;
}

/**
 * Must keep call/result pairs whole and the latest user message verbatim, and must never lose a message that is not
 * also kept on disk.
 */
export interface ContextEngine {
  readonly name: string;
  /** How many times a history was shortened so far. */
  readonly compressions: number;
  /** Tokens from which a history is shortened by itself; undefined when it never is. */
  thresholdTokens(model: ContextModel): number | undefined;
  fit(request: ContextRequest, signal: AbortSignal): Promise<Fit>;
  /** Shortens because a person wants it. */
  compress(request: ContextRequest, wish: CompressWish, signal: AbortSignal): Promise<Fit>;
  /** A request to this model was answered: what was thought of its window held. Must not reject. */
  answered?(model: ContextModel): Promise<void>;
  /** A new conversation begins. */
  reset(): void;
}

/** Sends every history whole; a conversation that outgrows its model ends with a clear error. */
export const wholeHistory: ContextEngine = {
  name: 'whole-history',
  compressions: 0,
  thresholdTokens: () => undefined,
  fit: ({ history, overflow }) => Promise.resolve({ history, fits: !overflow, notices: [] }),
  compress: ({ history }) =>
    Promise.resolve({ history, fits: true, notices: ['Compression is switched off (compression.enabled).'] }),
  reset: () => undefined,
};
