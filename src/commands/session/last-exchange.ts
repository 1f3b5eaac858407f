/** The newest exchange of a conversation, and who said what in it. */
import { type AssistantMessage, type HistoryMessage, kindOf, type UserMessage } from '../../llm/message.ts';

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

/** A message that a person wrote and that the model was asked: neither a note of this program nor one that was set aside. */
export function isSaid(message: HistoryMessage): message is UserMessage {
  return message.role === 'user' && kindOf(message) === 'said' && message.setAside !== true;
}

/** Words of the model, also where it was broken off; not a note of this program. */
export function isAnswer(message: HistoryMessage): message is AssistantMessage {
  return message.role === 'assistant' && ['answer', 'interrupted'].includes(kindOf(message));
}
