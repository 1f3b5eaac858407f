/** Overviews: the list of sessions with a preview each, and the store's figures. */
import type { SessionFilter, SessionSummary } from '../sessions.ts';
import type { StoreStats } from '../store-maintenance.ts';
import { number, numberOrNull, text } from './columns.ts';
import type { Connection, Value } from './connection.ts';
import { contentText, shortContent } from './message-text.ts';
import { readSession } from './session-row.ts';

const PREVIEW_LENGTH = 60;

/** Newest first. */
export function listSessions(db: Connection, options: SessionFilter): SessionSummary[] {
  const conditions = [whereSource(options), ...whereOwner(options)];
  const rows = db.all(
    `SELECT s.*,
       (SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id) AS _last_message,
       (SELECT ${shortContent('m', 400)} FROM messages m WHERE m.session_id = s.id AND m.role = 'user'
          ORDER BY m.timestamp, m.id LIMIT 1) AS _first_user
     FROM sessions s WHERE ${conditions.map(({ sql }) => sql).join(' AND ')} ORDER BY s.started_at DESC, s.rowid DESC LIMIT ? OFFSET ?`,
    ...conditions.flatMap(({ values }) => values),
    Math.max(0, Math.trunc(options.limit ?? 20)),
    Math.max(0, Math.trunc(options.offset ?? 0)),
  );
  return rows.map((row) => ({
    ...readSession(row),
    preview: previewOf(contentText(row, '_first_user')),
    last_active: numberOrNull(row, '_last_message') ?? number(row, 'started_at'),
  }));
}

/** Ids, newest first, without limit. */
export function sessionIds(db: Connection, source: string | undefined): string[] {
  const order = 'ORDER BY started_at DESC, rowid DESC';
  const rows =
    source === undefined
      ? db.all(`SELECT id FROM sessions ${order}`)
      : db.all(`SELECT id FROM sessions WHERE source = ? ${order}`, source);
  return rows.map((row) => text(row, 'id'));
}

export function storeStats(db: Connection): StoreStats {
  const bySource = db.all('SELECT source, count(*) AS n FROM sessions GROUP BY source ORDER BY n DESC, source');
  const pages = number(db.get('PRAGMA page_count') ?? {}, 'page_count');
  const pageSize = number(db.get('PRAGMA page_size') ?? {}, 'page_size');
  return {
    sessions: bySource.reduce((sum, row) => sum + number(row, 'n'), 0),
    messages: number(db.get('SELECT count(*) AS n FROM messages') ?? {}, 'n'),
    bySource: Object.fromEntries(bySource.map((row) => [text(row, 'source'), number(row, 'n')])),
    sizeBytes: pages * pageSize,
  };
}

/** A part of a `WHERE`, and its parameters. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Conditions on whose sessions `s` are meant, and which are left out. */
export function whereOwner(filter: {
  readonly userId?: string | null;
  readonly excludeSessions?: readonly string[];
}): Condition[] {
  const { userId, excludeSessions = [] } = filter;
  return [
    ...(userId === undefined ? [] : [{ sql: 's.user_id IS ?', values: [userId] }]),
    // As one parameter: SQLite takes a limited number of them.
    ...(excludeSessions.length === 0
      ? []
      : [{ sql: 's.id NOT IN (SELECT value FROM json_each(?))', values: [JSON.stringify(excludeSessions)] }]),
  ];
}

/** The condition on `s.source`. */
export function whereSource(filter: { source?: string; excludeSources?: readonly string[] }): Condition {
  if (filter.source !== undefined) return { sql: 's.source = ?', values: [filter.source] };
  const hidden = filter.excludeSources ?? ['tool'];
  if (hidden.length === 0) return { sql: '1', values: [] };
  return { sql: `s.source NOT IN (${hidden.map(() => '?').join(', ')})`, values: [...hidden] };
}

function previewOf(message: string): string {
  const line = Array.from(message.replace(/[\r\n]+/g, ' ').trim());
  return line.length > PREVIEW_LENGTH ? `${line.slice(0, PREVIEW_LENGTH).join('')}...` : line.join('');
}
