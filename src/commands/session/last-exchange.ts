/** The newest exchange of a conversation. */
import { type HistoryMessage, isSaid, type UserMessage } from '../../llm/message.ts';

export interface LastExchange {
  readonly before: readonly HistoryMessage[];
  readonly question: UserMessage;
}

/** The newest message that a person wrote and all that stood before it; nothing when there is none. */
export function lastExchange(history: readonly HistoryMessage[]): LastExchange | undefined {
  const index = history.findLastIndex(isSaid);
  const question = history[index];
  return question?.role === 'user' ? { before: history.slice(0, index), question } : undefined;
}
