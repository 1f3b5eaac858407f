/** Which sessions are one conversation: linked by compression, branches and sub-agents. */
import { MAX_LINEAGE } from '../lineage.ts';
import { text } from './columns.ts';
import type { Connection } from './connection.ts';

/** Ids of the whole family, its first session first; empty when there is no such session. */
export function lineageOf(db: Connection, id: string): string[] {
  // UNION, not UNION ALL: a circle in a damaged database ends.
  const root = db.get(
    `WITH RECURSIVE up(id, parent, depth) AS (
       SELECT id, parent_session_id, 0 FROM sessions WHERE id = ?
       UNION SELECT s.id, s.parent_session_id, up.depth + 1 FROM sessions s JOIN up ON s.id = up.parent
         WHERE up.depth < ${MAX_LINEAGE})
     SELECT id FROM up ORDER BY depth DESC LIMIT 1`,
    id,
  );
  if (root === undefined) return [];
  const family = db.all(
    `WITH RECURSIVE down(id) AS (
       SELECT ? UNION SELECT s.id FROM sessions s JOIN down ON s.parent_session_id = down.id)
     SELECT id FROM down LIMIT ${MAX_LINEAGE}`,
    text(root, 'id'),
  );
  const ids = family.map((row) => text(row, 'id'));
  return ids.includes(id) ? ids : [...ids, id];
}

/**
 * SQL: the child may go on with the conversation of its parent. When it was begun says nothing: the original may store it
 * before the end of its parent.
 */
export function mayGoOn(child: string): string {
  return `${child}.source NOT IN ('tool', 'subagent') AND ${unmarked(child, '_delegate_from')} AND ${unmarked(child, '_branched_from')}`;
}

/** SQL: `model_config` does not say that. */
export function unmarked(row: string, mark: '_delegate_from' | '_branched_from'): string {
  return `instr(COALESCE(${row}.model_config, ''), '"${mark}"') = 0`;
}

/** Ids of one conversation alone: what the session was compacted from, itself, and what it goes on in. */
export function compactionsOf(db: Connection, id: string): string[] {
  const goesOn = `p.end_reason = 'compression' AND ${mayGoOn('c')}`;
  const rows = db.all(
    `WITH RECURSIVE one(id) AS (
       SELECT id FROM sessions WHERE id = ?
       UNION SELECT CASE WHEN p.id = one.id THEN c.id ELSE p.id END FROM one
         JOIN sessions c ON c.id = one.id OR c.parent_session_id = one.id
         JOIN sessions p ON p.id = c.parent_session_id
         WHERE ${goesOn})
     SELECT id FROM one LIMIT ${MAX_LINEAGE}`,
    id,
  );
  return rows.map((row) => text(row, 'id'));
}
