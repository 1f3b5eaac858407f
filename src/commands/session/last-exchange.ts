/** The newest exchanges of a conversation. */
import { type HistoryMessage, isSaid, type UserMessage } from '../../llm/message.ts';

export interface LastExchange {
  readonly before: readonly HistoryMessage[];
  readonly question: UserMessage;
}

/**
 * The message that a person wrote `count` questions ago (1: the newest) and all that stood before it; the oldest one when
 * there are fewer, nothing when there is none.
 */
export function lastExchange(history: readonly HistoryMessage[], count = 1): LastExchange | undefined {
  const asked = history.flatMap((message, index) => (isSaid(message) ? [index] : []));
  const index = asked.at(-count) ?? asked[0] ?? -1;
  const question = history[index];
  return question?.role === 'user' ? { before: history.slice(0, index), question } : undefined;
}

/** What a person asked, the newest first. */
export function lastQuestions(history: readonly HistoryMessage[], count: number): UserMessage[] {
  const asked = history.filter((message): message is UserMessage => message.role === 'user' && isSaid(message));
  return asked.slice(-count).reverse();
}
