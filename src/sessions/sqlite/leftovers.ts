/** What older programs left behind in `sessions`: rows that never held anything, and continuations that nobody went on with. */
import { text } from './columns.ts';
import type { Connection } from './connection.ts';

const DAY = 86_400;

/** Deletes sessions of the full-screen terminal that ended without a message or a title a day ago; returns their ids. */
export function deleteGhosts(db: Connection, now: number): string[] {
  const rows = db.all(
    `DELETE FROM sessions WHERE source = 'tui' AND title IS NULL AND ended_at IS NOT NULL AND started_at < ?
       AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = sessions.id)
       AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_session_id = sessions.id) RETURNING id`,
    now - DAY,
  );
  return rows.map((row) => text(row, 'id'));
}

/** Ends continuations of a compaction in which no model was ever asked, when they are a week old; nothing of them is lost. */
export function endOrphans(db: Connection, now: number): number {
  return db.run(
    `UPDATE sessions SET ended_at = ?, end_reason = 'orphaned_compression'
     WHERE COALESCE(api_call_count, 0) = 0 AND ended_at IS NULL AND end_reason IS NULL AND started_at < ?
       AND EXISTS (SELECT 1 FROM sessions p WHERE p.id = sessions.parent_session_id
         AND p.end_reason = 'compression' AND p.ended_at IS NOT NULL)
       AND EXISTS (SELECT 1 FROM messages m WHERE m.session_id = sessions.id)`,
    now,
    now - 7 * DAY,
  ).changes;
}
