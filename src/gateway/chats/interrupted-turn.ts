/** How far a turn had come when its process died, by what the store has of it. */
import type { ChatMessage } from '../../sessions/chat-inbox.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import { textOf } from '../../llm/message.ts';

/** `not begun`: the message itself is not stored; `begun`: it is, and the answer is not whole. */
export type LeftTurn = { readonly as: 'not begun' | 'begun' } | { readonly as: 'answered'; readonly text: string };

export async function interruptedTurn(
  store: SessionStore | undefined,
  { sessionId, turnAfter }: Pick<ChatMessage, 'sessionId' | 'turnAfter'>,
): Promise<LeftTurn> {
  if (store === undefined || sessionId === null) return { as: 'not begun' };
  const session = await store.sessions.resolve(sessionId);
  if (session === undefined) return { as: 'not begun' };
  const stored = (await store.messages.list(session.id)).filter(({ id }) => turnAfter === null || id > turnAfter);
  if (!stored.some(({ message }) => message.role === 'user')) return { as: 'not begun' };
  const last = stored.at(-1)?.message;
  const answered = last?.role === 'assistant' && (last.tool_calls ?? []).length === 0 && last.kind !== 'interrupted';
  return answered ? { as: 'answered', text: textOf(last.content ?? '') } : { as: 'begun' };
}
