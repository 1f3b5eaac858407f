/**
 * Search over everything that was said, with an excerpt and the neighbours of each hit.
 * https://www.sqlite.org/fts5.html
 */
import type { MessageSearch, SearchHit, SearchQuery } from '../message-search.ts';
import { number, text, textOrNull } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { isPartList } from '../content.ts';
import { findMessages, type Found, readableOrNone, type Search } from './find-messages.ts';
import { type FullText, type FullTextIndex, WORDS } from './full-text.ts';
import { type Condition, whereOwner, whereSource } from './listing.ts';
import { contentText, messageText, shortContent } from './message-text.ts';
import { type ParsedQuery, parseQuery } from '../search-query.ts';
import { snippetAround } from '../snippet.ts';
import { notUndone, putAway } from './visibility.ts';

const MAX_LIMIT = 1000;
const CONTEXT_LENGTH = 200;
/** How often it is looked for more sessions than the first candidates belong to. */
const MAX_ROUNDS = 12;

export class SqliteSearch implements MessageSearch {
  readonly #db: Connection;
  readonly #index: FullTextIndex;

  constructor(db: Connection, index: FullTextIndex) {
    this.#db = db;
    this.#index = index;
  }

  messages(query: SearchQuery): Promise<SearchHit[]> {
    return this.#db.read('search the sessions', () => searchMessages(this.#db, this.#index.tables, query));
  }
}

/** Best first. */
function searchMessages(db: Connection, index: FullText, request: SearchQuery): SearchHit[] {
  const query = parseQuery(request.query);
  const limit = Math.min(MAX_LIMIT, Math.max(0, Math.trunc(request.limit ?? 20)));
  const offset = Math.max(0, Math.trunc(request.offset ?? 0));
  if (query === undefined || limit === 0) return [];
  const search = {
    db,
    index,
    query,
    filter: filterOf(request),
    order: request.order ?? 'best',
    wanted: offset + limit,
  };
  const found = request.onePerSession === true ? findSessions(search, request) : findMessages(search);
  const page = found.ids.slice(offset, offset + limit);
  // Looking up a prefix is costly, and would be done again for every hit; the text shows where it is.
  const expression = query.terms.some((term) => term.prefix) ? undefined : found.expression;
  return page.flatMap((id) => describeHit(db, id, query, expression) ?? []);
}

/** The best message of each session. */
function findSessions(search: Search, request: SearchQuery): Found {
  const best = new Map<string, number>();
  const excluded = request.excludeSessions ?? [];
  let found = findMessages({ ...search, enough: (ids) => bestOfEach(search.db, ids).size >= search.wanted });
  addAbsent(best, bestOfEach(search.db, found.ids));
  // A few sessions hold all that was looked at. What is that common says little about which one is meant: of the
  // others the newest will do.
  const order = search.order === 'best' ? 'newest' : search.order;
  for (let round = 0; round < MAX_ROUNDS && found.cut && best.size < search.wanted; round += 1) {
    const filter = filterOf({ ...request, excludeSessions: [...excluded, ...best.keys()] });
    found = findMessages({ ...search, filter, order, enough: (ids) => ids.length > 0 });
    addAbsent(best, bestOfEach(search.db, found.ids));
  }
  return { ...found, ids: [...best.values()] };
}

/** Session → the first of its messages, in the order of the ids. */
function bestOfEach(db: Connection, ids: readonly number[]): Map<string, number> {
  const best = new Map<string, number>();
  const rows = db.all(
    'SELECT m.id, m.session_id FROM json_each(?) j JOIN messages m ON m.id = j.value ORDER BY j.key',
    JSON.stringify(ids),
  );
  for (const row of rows) {
    const session = text(row, 'session_id');
    if (!best.has(session)) best.set(session, number(row, 'id'));
  }
  return best;
}

function addAbsent(best: Map<string, number>, more: ReadonlyMap<string, number>): void {
  for (const [session, id] of more) if (!best.has(session)) best.set(session, id);
}

function filterOf(request: SearchQuery): Condition {
  const conditions: Condition[] = [...whereOwner(request), { sql: `m.active = 1 OR ${putAway('m')}`, values: [] }];
  const { knownSessions = [] } = request;
  if (knownSessions.length > 0) {
    const known = 's.id IN (SELECT value FROM json_each(?))';
    conditions.push({ sql: `m.active = 0 OR NOT ${known}`, values: [JSON.stringify(knownSessions)] });
  }
  if (request.sources !== undefined) conditions.push(oneOf('s.source', request.sources));
  if (request.sources === undefined || request.excludeSources !== undefined) {
    conditions.push(whereSource({ ...(request.excludeSources && { excludeSources: request.excludeSources }) }));
  }
  if (request.roles !== undefined) conditions.push(oneOf('m.role', request.roles));
  return {
    sql: conditions.map((condition) => `(${condition.sql})`).join(' AND '),
    values: conditions.flatMap((condition) => condition.values),
  };
}

function oneOf(column: string, values: readonly string[]): Condition {
  return { sql: `${column} IN (${values.map(() => '?').join(', ')})`, values };
}

function describeHit(
  db: Connection,
  id: number,
  query: ParsedQuery,
  expression: string | undefined,
): SearchHit | undefined {
  const row = db.get(
    `SELECT m.id, m.session_id, m.role, m.timestamp, m.tool_name, ${shortContent('m', 2)} AS head,
       s.source, s.model, s.started_at
     FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.id = ?`,
    id,
  );
  if (row === undefined) return undefined;
  const isPlain = expression !== undefined && !isPartList(text(row, 'head'));
  const marked = isPlain ? markedSnippet(db, expression, id) : undefined;
  const terms = query.terms.map((term) => term.text);
  return {
    id,
    session_id: text(row, 'session_id'),
    role: text(row, 'role'),
    timestamp: number(row, 'timestamp'),
    tool_name: textOrNull(row, 'tool_name'),
    snippet: marked ?? snippetAround(messageText(db, id), terms),
    source: text(row, 'source'),
    model: textOrNull(row, 'model'),
    session_started: number(row, 'started_at'),
    context: [...neighbour(db, row, 'before'), ...neighbour(db, row, 'after')],
  };
}

function markedSnippet(db: Connection, expression: string, id: number): string | undefined {
  // The driver binds numbers as REAL, and FTS5 takes no notice of a row id that is not an INTEGER.
  const sql = `SELECT snippet(${WORDS}, 0, '>>>', '<<<', '...', 40) AS snippet FROM ${WORDS}
    WHERE ${WORDS} MATCH ? AND rowid = CAST(? AS INTEGER)`;
  const [row] = readableOrNone(() => db.all(sql, expression, id));
  return row && text(row, 'snippet').trim();
}

/** How far off, in ids, a neighbour is looked for row by row; conversations that are written at the same time mix. */
const NEAR = 256;

function neighbour(db: Connection, row: Row, side: 'before' | 'after'): { role: string; content: string }[] {
  const [compare, order, first, reach] = side === 'before' ? ['<', 'DESC', 'max', -NEAR] : ['>', 'ASC', 'min', NEAR];
  const id = number(row, 'id');
  const session = text(row, 'session_id');
  const [from, to] = reach < 0 ? [id + reach, id - 1] : [id + 1, id + reach];
  // The plus keeps SQLite from sorting all rows of the session; the index of the second way has all that it asks for.
  const next = db.get(
    `SELECT m.role, ${shortContent('m', CONTEXT_LENGTH)} AS content FROM messages m WHERE m.id = coalesce(
       (SELECT n.id FROM messages n WHERE +n.session_id = ? AND ${notUndone('n')} AND n.id BETWEEN ? AND ?
        ORDER BY n.id ${order} LIMIT 1),
       (SELECT ${first}(id) FROM (
          SELECT ${first}(id) AS id FROM messages WHERE session_id = ? AND active = 1 AND id ${compare} ?
          UNION ALL
          SELECT ${first}(id) FROM messages WHERE session_id = ? AND active = 0 AND compacted = 1 AND id ${compare} ?)))`,
    session,
    from,
    to,
    session,
    id,
    session,
    id,
  );
  if (next === undefined) return [];
  return [{ role: text(next, 'role'), content: contentText(next, 'content').slice(0, CONTEXT_LENGTH).toWellFormed() }];
}
