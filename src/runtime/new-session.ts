/** What a session is stored as, and what it comes of. */
import type { SessionStore } from '../sessions/session-store.ts';
import type { NewSession, SessionRow } from '../sessions/sessions.ts';
import { OpenSession } from './open-session-view.ts';
import type { SessionParts } from './session-parts.ts';
import type { SessionSpec } from './session-spec.ts';

/** Its row. */
export function newSession(id: string, parts: SessionParts, spec: SessionSpec): NewSession {
  const user = spec.userId === undefined ? {} : { userId: spec.userId };
  const parent = spec.parent === undefined ? {} : { parentSessionId: spec.parent.id };
  return { id, source: sourceOf(parts, spec), model: parts.route.model, ...user, ...parent };
}

/** The session that it works for. */
export function parentOf({ parent }: SessionSpec): OpenSession | undefined {
  if (parent === undefined || parent instanceof OpenSession) return parent;
  throw new Error('the parent of a session must be a session of the same program');
}

/** The tag under which it is stored. */
export function sourceOf({ surface }: Pick<SessionParts, 'surface'>, { resume, source }: SessionSpec): string {
  return resume?.source ?? source ?? surface;
}

/** A session that came of a compaction goes on with the conversation of the first of its lineage. */
export async function conversationStart(store: SessionStore | undefined, session: SessionRow): Promise<Date> {
  const [first] = (await store?.sessions.lineage(session.id)) ?? [];
  const row = first === undefined ? undefined : await store?.sessions.get(first);
  return new Date((row ?? session).started_at * 1000);
}
