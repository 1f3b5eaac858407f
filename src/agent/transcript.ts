/** Where a conversation is written down while it happens. */
import type { HistoryMessage } from '../llm/message.ts';
import type { CalledModel, Usage } from '../llm/protocol.ts';

/**
 * The loop awaits every call before it goes on, so that what happened is on disk before the next thing happens.
 * An implementation must not reorder or drop; a failure to store may throw, and then the turn ends with that error.
 */
export interface Transcript {
  append(message: HistoryMessage): Promise<void>;
  /** Tokens of one finished model request. */
  recordUsage(usage: Usage, on: CalledModel): Promise<void>;
  /** Takes back the newest message: a user message that must not be kept after a rejected request. */
  dropLast(): Promise<void>;
}
