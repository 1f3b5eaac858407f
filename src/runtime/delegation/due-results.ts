/** Results that are to be brought into a conversation. */
import type { SessionStore } from '../../sessions/session-store.ts';
import type { Session } from '../session.ts';
import { messageOf } from './completion.ts';
import type { DueResults } from './sub-agents.ts';

const maxSteps = 100;

export async function claimDue(
  store: Pick<SessionStore, 'delegations' | 'sessions' | 'messages'>,
  session: Pick<Session, 'id' | 'source'>,
  /** Told of the files that belong to a result, as they were written down. */
  files?: (paths: unknown) => void,
): Promise<readonly DueResults[]> {
  const { delegations } = store;
  if ((await delegations.waiting()).length === 0) return [];
  const claimed = await delegations.claim(await conversationOf(store, session.id), session.source);
  const due: DueResults[] = [];
  for (const { id, event, again, claim } of claimed) {
    const delivered = async (): Promise<void> => void (await delegations.delivered(id, claim));
    // The process died after it had told of them, and before that was written down.
    if (again && (await isTold(store, session.id, id))) await delivered();
    else {
      files?.(event['kept_files']);
      due.push({
        delegationId: id,
        input: messageOf(id, event),
        delivered,
        release: async () => await delegations.release(id, claim),
      });
    }
  }
  return due;
}

/** A session with those that it was compressed from. */
export async function conversationOf(
  { sessions }: Pick<SessionStore, 'sessions'>,
  id: string,
): Promise<readonly string[]> {
  const ids = [id];
  for (let row = await sessions.get(id); row?.parent_session_id && ids.length < maxSteps; ) {
    const parent = await sessions.get(row.parent_session_id);
    if (parent?.end_reason !== 'compression') break;
    ids.push(parent.id);
    row = parent;
  }
  return ids;
}

async function isTold({ messages }: Pick<SessionStore, 'messages'>, sessionId: string, id: string): Promise<boolean> {
  return (await messages.list(sessionId)).some(
    ({ message }) => message.role === 'user' && message.platformMessageId === id,
  );
}
