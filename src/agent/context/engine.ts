/** Decides when and how a history is shortened before it is sent. */
import type { HistoryMessage } from '../../llm/message.ts';
import type { ToolSchema } from '../../llm/protocol.ts';
import type { SharedCompactions } from '../shared-compactions.ts';

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
  /** The history with every call answered: what is shortened must be built from this. */
  repaired(): readonly HistoryMessage[];
  /** The session that keeps the originals. */
  readonly sessionId: string;
  readonly systemPromptChars: number;
  readonly tools: readonly ToolSchema[];
  /** Prompt tokens of the latest request, as the provider counted them. */
  readonly lastPromptTokens?: number;
  /** The provider refused the request as too long: shorten now, whatever the estimate says. */
  readonly overflow: boolean;
  /** Absent where nobody else can have the conversation. */
  readonly compactions?: SharedCompactions;
  /** What the provider said when it refused. */
  readonly refusal?: string;
}

/** What a person asks for with `/compress`. */
export interface CompressRequest {
  /** A topic that the summary gives priority to. */
  readonly focus?: string;
  /** Newest exchanges that stay as they are; the rest is summarised. */
  readonly keepExchanges?: number;
  /** Only says in a notice what would be done: no model is asked, and nothing is changed. */
  readonly preview?: true;
}

/** Tokens are estimates. */
export interface Compaction {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  /**
   * What stands for what is gone: a `summary` by a model; `facts`, a list made without one because none could be had; or
   * nothing, because old tool output was `pruned` and every message is still there.
   */
  readonly by: 'summary' | 'facts' | 'pruned';
}

export interface Fit {
  /** The same array (`===`) when nothing was done. */
  readonly history: readonly HistoryMessage[];
  /** False: too long, and cannot be shortened any further. */
  readonly fits: boolean;
  /** Lines for the user. */
  readonly notices: readonly string[];
  /** Present when messages were shortened or taken out. */
  readonly compaction?: Compaction;
}

/**
 * Must keep call/result pairs whole, the latest message that the user said verbatim, and an unknown outcome unknown; a
 * summary must carry the sources of what it replaces. Claims `compactions` before it shortens anything; whoever asked
 * releases them once the result is stored. Must never lose a message that is not also kept on disk.
 *
 * @example
 * const { history, fits, notices } = await engine.fit(request, signal);
 * if (!fits) setAside(newestMessage);
 */
export interface ContextEngine {
  readonly name: string;
  /** Tokens from which a history is shortened by itself; undefined when it never is. */
  thresholdTokens(model: ContextModel): number | undefined;
  /** What one result may take up of a request to this model, in characters; absent or undefined = no limit of its own. */
  maxResultChars?(model: ContextModel): number | undefined;
  fit(request: ContextRequest, signal: AbortSignal): Promise<Fit>;
  /** Shortens because a person wants it. */
  compress(request: ContextRequest, wanted: CompressRequest, signal: AbortSignal): Promise<Fit>;
  /** A request to this model was answered: what was thought of its window held. Must not reject. */
  answered?(model: ContextModel): Promise<void>;
}

/** Sends every history whole; a conversation that outgrows its model ends with a clear error. */
export const wholeHistory: ContextEngine = {
  name: 'whole-history',
  thresholdTokens: () => undefined,
  fit: ({ history, overflow }) => Promise.resolve({ history, fits: !overflow, notices: [] }),
  compress: ({ history }) =>
    Promise.resolve({ history, fits: true, notices: ['Compression is switched off (compression.enabled).'] }),
};
