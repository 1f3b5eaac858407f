/** Where a conversation is written down while it happens. */
import type { HistoryMessage } from '../llm/message.ts';
import type { CalledModel, Usage } from '../llm/protocol.ts';
import type { Source } from '../llm/source.ts';
import type { SharedCompactions } from './shared-compactions.ts';

/** What the conversation goes on with after a compaction. */
export interface Continuation {
  readonly sessionId: string;
  readonly history: readonly HistoryMessage[];
  readonly systemPrompt: string;
}

/**
 * Owns the session's id. The loop awaits every call before it goes on, so that what happened is on disk before the next
 * thing happens. An implementation must not reorder or drop; a failure to store may throw, and then the turn ends with
 * that error.
 *
 * @example
 * const id = await transcript.append({ role: 'user', content: 'Hello' });
 * const { sessionId, systemPrompt } = await transcript.compact([summary, ...newest]);
 */
export interface Transcript {
  /** Where messages are written now; a compaction may move on to another session. */
  readonly sessionId: string;
  /** Everything that has entered the conversation so far, also what was taken out of it again. */
  readonly sources: readonly Source[];
  /** Absent where nobody else can have the conversation. */
  readonly compactions?: SharedCompactions;
  /** Returns the id of the stored message, unique in the store. */
  append(message: HistoryMessage): Promise<string>;
  /** Marks the newest message: it stays where it is, and is left out of every later request. */
  setAsideLast(): Promise<void>;
  /** Tokens of one finished model request. */
  recordUsage(usage: Usage, on: CalledModel): Promise<void>;
  /**
   * Puts a shortened history in the place of the conversation, whole or not at all; the originals are kept. Rejects when
   * it cannot be stored, and then nothing has changed.
   */
  compact(history: readonly HistoryMessage[]): Promise<Continuation>;
}
