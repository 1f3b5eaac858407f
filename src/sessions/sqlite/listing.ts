/** Overviews: the list of sessions with a preview each, and the store's figures. */
import { isPreviewed, PREVIEW_SOURCE_LENGTH, previewOf } from '../preview.ts';
import type { SessionFilter, SessionSummary } from '../sessions.ts';
import type { StoreStats } from '../store-maintenance.ts';
import { number, numberOrNull, text, textOrNull } from './columns.ts';
import type { Connection, Row, Value } from './connection.ts';
import { liveSession } from './find-session.ts';
import { mayGoOn, unmarked } from './lineage.ts';
import { readMessage } from './message-row.ts';
import { shortContent } from './message-text.ts';
import { readSession } from './session-row.ts';
import { notUndone } from './visibility.ts';

/** Each conversation once, or each session. */
export function listSessions(db: Connection, options: SessionFilter): SessionSummary[] {
  const { children = false } = options;
  const kinds = children ? [] : [isConversation];
  const conditions = [whereSource(options), ...whereOwner(options), ...kinds, ...whereShown(options)];
  const active = options.order === 'active';
  // Chosen first: looking for what was said in each is only worth it for those that are shown.
  const rows = db.all(
    `${active ? lastActivity : ''} SELECT s.*, f.id AS _first_id, ${shortContent('f', PREVIEW_SOURCE_LENGTH)} AS _first_content,
       f.provenance AS _first_provenance,
       (SELECT max(m.timestamp) FROM messages m WHERE m.session_id = s.id) AS _last_message
     FROM (SELECT s.*, s.rowid AS _rowid, ${active ? 'activity.at' : 's.started_at'} AS _at
       FROM sessions s ${active ? 'JOIN activity ON activity.root = s.id' : ''}
       WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}
       ORDER BY _at DESC, s.started_at DESC, s.rowid DESC LIMIT ? OFFSET ?) s
     LEFT JOIN messages f ON f.id =
       (SELECT min(m.id) FROM messages m WHERE m.session_id = s.id AND ${notUndone('m')} AND ${maySay})
     ORDER BY s._at DESC, s.started_at DESC, s._rowid DESC`,
    ...conditions.flatMap(({ values }) => values),
    Math.max(0, Math.trunc(options.limit ?? 20)),
    Math.max(0, Math.trunc(options.offset ?? 0)),
  );
  return rows.map((row) => {
    const root = readSession(row);
    const last = numberOrNull(row, '_last_message') ?? root.started_at;
    const summary = { ...root, preview: preview(db, row), last_active: last };
    const tip = root.end_reason === 'compression' && !children ? liveSession(db, root) : root;
    if (tip.id === root.id) return summary;
    const newest = db.get('SELECT max(timestamp) AS at FROM messages WHERE session_id = ?', tip.id) ?? {};
    return {
      ...summary,
      ...tip,
      last_active: Math.max(last, numberOrNull(newest, 'at') ?? tip.started_at),
      lineage_root_id: root.id,
    };
  });
}

/** SQL: when something was said last in each session, or in those that it was compacted into. */
const lastActivity = `WITH RECURSIVE chain(root, id) AS (
    SELECT id, id FROM sessions
    UNION SELECT chain.root, c.id FROM chain JOIN sessions p ON p.id = chain.id
      JOIN sessions c ON c.parent_session_id = p.id WHERE p.end_reason = 'compression' AND ${mayGoOn('c')}),
  activity(root, at) AS (
    SELECT chain.root, max(COALESCE((SELECT max(m.timestamp) FROM messages m WHERE m.session_id = t.id), t.started_at))
    FROM chain JOIN sessions t ON t.id = chain.id GROUP BY chain.root)`;

/**
 * Roots and branches: runs of sub-agents are no conversations, and what goes on with another session is shown in its place.
 * Old branches do not say that they are, but were begun when their parent ended.
 */
const isConversation: Condition = {
  sql: `${unmarked('s', '_delegate_from')} AND (s.parent_session_id IS NULL OR NOT ${unmarked('s', '_branched_from')}
    OR EXISTS (SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id AND p.end_reason = 'branched'
      AND s.started_at >= p.ended_at))`,
  values: [],
};

/** Conditions on archived sessions, and on the folder. */
export function whereShown({ archived, cwd }: Pick<SessionFilter, 'archived' | 'cwd'>): Condition[] {
  return [
    ...(archived === 'also' ? [] : [{ sql: 's.archived = ?', values: [archived === 'only' ? 1 : 0] }]),
    ...(cwd === undefined ? [] : [whereBelow('s.cwd', cwd)]),
  ];
}

/** The folder itself, or one below it. */
function whereBelow(column: string, folder: string): Condition {
  const base = folder.replace(/(?<=.)[/\\]+$/, '');
  const below = base.endsWith('/') ? base : `${base}/`;
  return { sql: `(${column} = ? OR substr(${column}, 1, length(?)) = ?)`, values: [base, below, below] };
}

/** A message of the user whose row does not say that it is anything but what they said. */
const maySay = `m.role = 'user' AND (m.provenance IS NULL OR m.provenance NOT LIKE '{"kind":"%' OR m.provenance LIKE '{"kind":"said"%')`;

/** Of the first that the person said. */
function preview(db: Connection, session: Row): string {
  if (numberOrNull(session, '_first_id') === null) return '';
  const first = said(textOrNull(session, '_first_content'), textOrNull(session, '_first_provenance'));
  if (first !== undefined) return first;
  // Rows of an older database: what they are must be read from the words, so a few more are looked at.
  const rows = db.all(
    `SELECT ${shortContent('m', PREVIEW_SOURCE_LENGTH)} AS content, m.provenance FROM messages m
     WHERE m.session_id = ? AND ${notUndone('m')} AND ${maySay} ORDER BY m.id LIMIT 20`,
    text(session, 'id'),
  );
  return (
    rows
      .map((row) => said(textOrNull(row, 'content'), textOrNull(row, 'provenance')))
      .find((line) => line !== undefined) ?? ''
  );
}

function said(content: string | null, provenance: string | null): string | undefined {
  const message = readMessage({ role: 'user', content, provenance });
  return message !== undefined && isPreviewed(message) ? previewOf(message) : undefined;
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
