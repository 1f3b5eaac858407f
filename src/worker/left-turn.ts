/** How far a turn had come when its process died, by what the store has of it. */
import { type HistoryMessage, textOf } from '../llm/message.ts';
import type { SessionRow } from '../sessions/sessions.ts';
import type { SessionStore } from '../sessions/session-store.ts';

/** `not begun`: the message itself is not stored; `begun`: it is, and the answer is not whole. */
export type LeftTurn =
  | { readonly as: 'not begun' }
  | { readonly as: 'begun'; readonly session: SessionRow; readonly messages: readonly HistoryMessage[] }
  | { readonly as: 'answered'; readonly session: SessionRow; readonly text: string };

/** `after`: id of the newest stored message when the turn began; null where the session began with it. */
export async function leftTurn(
  store: Pick<SessionStore, 'sessions' | 'messages'>,
  sessionId: string | null,
  after: number | null = null,
): Promise<LeftTurn> {
  const session = sessionId === null ? undefined : await store.sessions.resolve(sessionId);
  if (session === undefined) return { as: 'not begun' };
  const stored = (await store.messages.list(session.id)).filter(({ id }) => after === null || id > after);
  if (!stored.some(({ message }) => message.role === 'user')) return { as: 'not begun' };
  const last = stored.at(-1)?.message;
  const isAnswer = last?.role === 'assistant' && (last.tool_calls ?? []).length === 0 && last.kind !== 'interrupted';
  return isAnswer
    ? { as: 'answered', session, text: textOf(last.content ?? '') }
    : { as: 'begun', session, messages: stored.map(({ message }) => message) };
}
