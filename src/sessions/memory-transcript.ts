/** A conversation that is not stored. */
import type { Continuation, Transcript } from '../agent/transcript.ts';
import { type HistoryMessage, sourcesOf } from '../llm/message.ts';
import type { CalledModel, Usage } from '../llm/protocol.ts';
import { mergeSources, type Source } from '../llm/source.ts';
import type { CompactionParts } from './store-transcript.ts';

export interface MemoryTranscriptOptions extends CompactionParts {
  readonly sessionId: string;
  readonly sources?: readonly Source[];
  /** Told every message as it is appended. Must not throw or wait. */
  readonly heard?: (message: HistoryMessage) => void;
}

/**
 * Keeps what a transcript must know and nothing else: the messages are the agent's. Ids are `m1`, `m2`, …; a compaction
 * goes on under the same session id.
 */
export class MemoryTranscript implements Transcript {
  readonly sessionId: string;
  readonly #options: MemoryTranscriptOptions;
  #sources: readonly Source[];
  #count = 0;

  constructor(options: MemoryTranscriptOptions) {
    this.sessionId = options.sessionId;
    this.#options = options;
    this.#sources = mergeSources(options.sources ?? []);
  }

  get sources(): readonly Source[] {
    return this.#sources;
  }

  append(message: HistoryMessage): Promise<string> {
    this.#sources = mergeSources(this.#sources, sourcesOf(message));
    this.#options.heard?.(message);
    this.#count += 1;
    return Promise.resolve(`m${this.#count}`);
  }

  setAsideLast(): Promise<void> {
    return Promise.resolve();
  }

  recordUsage(_usage: Usage, _on: CalledModel): Promise<void> {
    return Promise.resolve();
  }

  async compact(history: readonly HistoryMessage[]): Promise<Continuation> {
    const { prompt, carry } = this.#options;
    const messages = carry?.(history) ?? history;
    const systemPrompt = await prompt(this.sessionId);
    this.#sources = mergeSources(this.#sources, ...messages.map(sourcesOf));
    return { sessionId: this.sessionId, history: messages, systemPrompt };
  }
}
