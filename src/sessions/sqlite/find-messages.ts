/** Finds the messages a query means: by words, by parts of words where scripts have no spaces, or by reading. */
import { errorMessage } from '../../lib/errors.ts';
import type { ParsedQuery, Term } from '../search-query.ts';
import { number, text } from './columns.ts';
import type { Connection, Row, Value } from './connection.ts';
import { type FullText, readableText, TRIGRAMS, WORDS } from './full-text.ts';
import { join, quote, wordExpression } from './full-text-query.ts';
import { likeLiteral } from './find-session.ts';
import { messageText } from './message-text.ts';

import { standsAlone } from '../snippet.ts';
import { sqliteCode } from '../../lib/sqlite.ts';

/** Ranking reads each candidate; of more than these the newest are ranked. */
const CANDIDATES = 400;
/** The trigram index holds nothing shorter. */
const TRIGRAM_LENGTH = 3;
/** A short term is looked up through the trigrams that begin with it, up to this many; one with more is common. */
const MAX_EXPANSIONS = 300;
/** Ranges of the character after a term, as the index sorts them; the second list leaves out Latin and digits. */
const everything = [['', '\u{10FFFF}']] as const;
const notAlphanumeric = [
  ['', '0'],
  [':', 'a'],
  ['{', '\u00C0'],
  ['\u0250', '\u{10FFFF}'],
] as const;
/** Finds nothing, because nobody writes noncharacters. */
const NOTHING = quote('\u{10FFFF}\u{10FFFF}\u{10FFFF}');

export interface Search {
  readonly db: Connection;
  readonly index: FullText;
  readonly query: ParsedQuery;
  /** A condition on the rows `m` of `messages` and `s` of `sessions`. */
  readonly filter: { readonly sql: string; readonly values: readonly Value[] };
  readonly order: 'best' | 'newest' | 'oldest';
  /** Hits needed, counted from the best. */
  readonly wanted: number;
  /** Whether these are enough; default: when they are as many as wanted. */
  readonly enough?: (ids: readonly number[]) => boolean;
}

export interface Found {
  /** Message ids, best first. */
  readonly ids: readonly number[];
  /** True when there may be more of them, older ones. */
  readonly cut: boolean;
  /** What the word index was asked, if it was: it can mark the words it found. */
  readonly expression?: string;
}

/** Whether terms may be parts of longer words of their own script. */
type Position = 'alone' | 'anywhere';

export function findMessages(search: Search): Found {
  const { ids, expression } = findBest(search);
  const direction = search.order === 'oldest' ? 1 : -1;
  return {
    ids: search.order === 'best' ? ids : ids.toSorted((a, b) => direction * (a - b)),
    cut: ids.length >= CANDIDATES,
    ...(expression === undefined ? {} : { expression }),
  };
}

function findBest(search: Search): Omit<Found, 'cut'> {
  const { db, index, query, wanted, enough = (ids) => ids.length >= wanted } = search;
  const expression = index.words && !query.unspaced ? wordExpression(query) : undefined;
  if (expression === undefined) return { ids: findParts(search, 'anywhere') };
  const words = match(search, WORDS, expression);
  if (!query.plain || enough(words)) return { ids: words, expression };
  // The word index takes "用AI写" for one word, and "getUserName" too. Words written next to another script come
  // after the others; parts of longer words only when there is nothing better. Neither is ranked, only the newest
  // first: counting how rare trigrams are takes longer than finding them.
  const known = new Set(words);
  const terms = query.terms.map((term) => term.text);
  const parts = findParts(unranked(search), 'alone').filter((id) => !known.has(id));
  const ids = [...words, ...parts.filter((id) => standsAlone(messageText(db, id), terms))];
  // For long terms both are looked up alike.
  return ids.length > 0 || !query.terms.every(isLong) ? { ids, expression } : { ids: parts, expression };
}

function unranked(search: Search): Search {
  return search.order === 'best' ? { ...search, order: 'newest' } : search;
}

/** A query that SQLite cannot read, in spite of the quoting, finds nothing. */
export function readableOrNone(work: () => Row[]): Row[] {
  try {
    return work();
  } catch (error) {
    if (sqliteCode(error) === 1 && errorMessage(error).startsWith('fts5:')) return [];
    throw error;
  }
}

/** Messages that hold the terms, also inside words. */
function findParts(search: Search, position: Position): number[] {
  const { db, index, query } = search;
  if (!index.trigrams) return readBack(search, query);
  const expansions = new Map(query.terms.map((term) => [term, expand(db, term, position)]));
  const common = query.terms.filter((term) => expansions.get(term) === 'common');
  const expression = (term: Term): string => expressionOf(expansions.get(term));
  if (common.length === 0) return match(search, TRIGRAMS, join(query, expression));
  // Common terms are read for, which is quick because the newest messages hold them.
  if (!query.plain) return readBack(search, query);
  const rest = query.terms.filter((term) => !common.includes(term));
  const operators = common.slice(1).map(() => 'AND' as const);
  return readBack(search, { terms: common, operators }, rest.map(expression).join(' AND '));
}

function isLong(term: Term): boolean {
  return Array.from(term.text).length >= TRIGRAM_LENGTH;
}

type Expansion = 'common' | readonly string[];

/** What to look up for a term: itself, or all indexed trigrams that begin with it. */
function expand(db: Connection, term: Term, position: Position): Expansion {
  if (isLong(term)) return [term.text];
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.trigram_terms USING fts5vocab(main, ${TRIGRAMS}, row)`);
  const start = term.text.toLowerCase();
  const ranges = position === 'alone' && /[a-z0-9]$/.test(start) ? notAlphanumeric : everything;
  // Complete, because the indexed text ends in two spaces: even the last character has followers.
  const found = ranges.flatMap(([first, last]) =>
    db.all(
      `SELECT term FROM temp.trigram_terms WHERE term >= ? AND term < ? LIMIT ${MAX_EXPANSIONS + 1}`,
      start + first,
      start + last,
    ),
  );
  return found.length > MAX_EXPANSIONS ? 'common' : found.map((row) => text(row, 'term'));
}

function expressionOf(expansion: Expansion | undefined): string {
  if (expansion === undefined || expansion === 'common' || expansion.length === 0) return NOTHING;
  return `(${expansion.map(quote).join(' OR ')})`;
}

/** Ids of the best matches among the newest candidates; of the first ones when the order is by time. */
function match(search: Search, table: typeof WORDS | typeof TRIGRAMS, expression: string): number[] {
  const { db, filter, order, wanted } = search;
  // CROSS JOIN keeps the index outermost, read from the newest row down.
  const score = order === 'best' ? `bm25(${table})` : '0';
  const sql = `SELECT f.rowid AS id, ${score} AS score FROM ${table} f
    CROSS JOIN messages m ON m.id = f.rowid CROSS JOIN sessions s ON s.id = m.session_id
    WHERE f.${table} MATCH ? AND ${filter.sql} ORDER BY f.rowid ${towards(order)} LIMIT ?`;
  const candidates = readableOrNone(() => db.all(sql, expression, ...filter.values, Math.max(CANDIDATES, wanted)));
  // A stable sort: equal scores stay newest first.
  return candidates.sort((a, b) => number(a, 'score') - number(b, 'score')).map((row) => number(row, 'id'));
}

function towards(order: Search['order']): 'ASC' | 'DESC' {
  return order === 'oldest' ? 'ASC' : 'DESC';
}

/** Reads messages from the newest back until enough are found; `expression` narrows them by trigrams first. */
function readBack(search: Search, query: Pick<ParsedQuery, 'terms' | 'operators'>, expression = ''): number[] {
  const { db, filter, order, wanted } = search;
  const written = readableText('m');
  const terms = join(query, () => String.raw`(${written}) LIKE ? ESCAPE '\'`).replaceAll(/\bNOT\b/g, 'AND NOT');
  const patterns = query.terms.map((term) => `%${likeLiteral(term.text)}%`);
  const indexed = expression === '' ? '' : `m.id IN (SELECT rowid FROM ${TRIGRAMS} WHERE ${TRIGRAMS} MATCH ?) AND`;
  const sql = `SELECT m.id AS id FROM messages m CROSS JOIN sessions s ON s.id = m.session_id
    WHERE ${indexed} (${terms}) AND ${filter.sql} ORDER BY m.id ${towards(order)} LIMIT ?`;
  const values = [...(expression === '' ? [] : [expression]), ...patterns, ...filter.values];
  return readableOrNone(() => db.all(sql, ...values, Math.max(CANDIDATES, wanted))).map((row) => number(row, 'id'));
}
