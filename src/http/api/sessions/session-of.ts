/** The stored session that a request is about. */
import type { Program } from '../../../runtime/program.ts';
import type { SessionStore } from '../../../sessions/session-store.ts';
import type { SessionRow } from '../../../sessions/sessions.ts';
import { HttpError } from '../../answers.ts';
import { checkSessionId } from '../session-headers.ts';

/** Throws `HttpError` while nothing can be stored. */
export function storeOf({ store }: Pick<Program, 'store'>): SessionStore {
  if (store !== undefined) return store;
  throw new HttpError(503, 'Conversations are not stored: the database cannot be used.', {
    code: 'session_db_unavailable',
  });
}

/** Throws `HttpError` when there is none of this id. */
export async function sessionOf(store: SessionStore, id: string): Promise<SessionRow> {
  checkSessionId(id);
  const row = await store.sessions.get(id);
  if (row !== undefined) return row;
  throw new HttpError(404, `Session not found: ${id}`, { code: 'session_not_found' });
}
