/** How one session goes on in another: the rules that every store shares. */
import type { ChildSession, NewSession, SessionRow } from './sessions.ts';

/** More links than any real conversation has; a circle in a damaged store must not hang a resume. */
export const MAX_LINEAGE = 1000;

/** The row of a child: of the same person, on the same surface, with the same model. */
export function childOf(parent: SessionRow, { id, systemPrompt }: ChildSession): NewSession {
  return {
    id,
    source: parent.source,
    parentSessionId: parent.id,
    ...(parent.user_id !== null && { userId: parent.user_id }),
    ...(parent.model !== null && { model: parent.model }),
    ...(systemPrompt !== undefined && { systemPrompt }),
  };
}
