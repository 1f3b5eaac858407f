/** Cutting the newest exchange off a conversation, here and in the store. */
import { type HistoryMessage, textOf, type UserMessage } from '../../llm/message.ts';
import type { CommandContext } from '../command.ts';

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

/** A user message that a person wrote. The program's own notes to the model stand in the history as user messages too. */
export function isSaid(message: HistoryMessage): message is UserMessage {
  return message.role === 'user' && !textOf(message.content).startsWith('[System:');
}

/** Puts a shorter history in place, in the store first. */
export async function cutHistory(context: CommandContext, history: readonly HistoryMessage[]): Promise<void> {
  await context.store?.messages.rewrite(context.session.id, history);
  context.session.agent.replaceHistory(history);
}
