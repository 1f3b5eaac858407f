/** The two full-text tables over `messages`: words for most languages, trigrams for substrings and CJK. */
import { text } from './columns.ts';
import type { Connection, Row } from './connection.ts';
import { sqliteCode } from '../../lib/sqlite.ts';

/** Which full-text tables can be queried. Without one, search falls back to `LIKE`. */
export interface FullText {
  readonly words: boolean;
  readonly trigrams: boolean;
}

/** The tables of one open database; a rebuild may change which there are. */
export class FullTextIndex {
  tables: FullText;

  constructor(tables: FullText) {
    this.tables = tables;
  }
}

export const WORDS = 'messages_fts';
export const TRIGRAMS = 'messages_fts_trigram';

const options = { [WORDS]: 'content', [TRIGRAMS]: "content, tokenize='trigram'" } as const;
type Index = keyof typeof options;
const names = [WORDS, TRIGRAMS] as const;

/** What both indexes hold for a row of `messages`; `row` is a table alias, `new` or `old`. */
function indexedText(row: string): string {
  return `COALESCE(${row}.content, '') || ' ' || COALESCE(${row}.tool_name, '') || ' ' || COALESCE(${row}.tool_calls, '')`;
}

/** The same for `LIKE`, which reads no further than the NUL that a part list begins with. */
export function readableText(row: string): string {
  const content = `CASE WHEN ${row}.content <> '' AND ${row}.content < char(1)
    THEN CAST(substr(CAST(${row}.content AS BLOB), 2) AS TEXT) ELSE ${row}.content END`;
  return indexedText(row).replace(`${row}.content`, content);
}

/** `objects` are the rows of `sqlite_master`. */
export function presentIndexes(objects: readonly Row[]): FullText {
  const found = (name: Index): boolean => objects.some((row) => text(row, 'name') === name);
  return { words: found(WORDS), trigrams: found(TRIGRAMS) };
}

/** True when both tables exist and inserts, updates and deletes reach them, whatever the triggers are called. */
export function fullTextIsComplete(objects: readonly Row[]): boolean {
  const { words, trigrams } = presentIndexes(objects);
  return words && trigrams && names.every((name) => missingTriggers(name, objects).length === 0);
}

/** Creates what is missing; a new table is filled from `messages`. Does nothing where SQLite lacks FTS5. */
export function ensureFullText(db: Connection, objects: readonly Row[]): void {
  const present = presentIndexes(objects);
  for (const name of names) {
    const exists = name === WORDS ? present.words : present.trigrams;
    if (!exists && !createIndex(db, name)) continue;
    if (!exists) fill(db, name);
    for (const trigger of missingTriggers(name, objects)) db.exec(trigger);
  }
}

/** Drops both tables and every trigger that feeds them, then builds them anew from `messages`. */
export function rebuildFullText(db: Connection): void {
  const objects = db.all("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('table', 'trigger')");
  for (const row of objects) {
    const feeds = text(row, 'type') === 'trigger' && text(row, 'sql').includes(WORDS);
    if (feeds) db.exec(`DROP TRIGGER IF EXISTS "${text(row, 'name').replaceAll('"', '""')}"`);
  }
  for (const name of names) db.exec(`DROP TABLE IF EXISTS ${name}`);
  ensureFullText(db, []);
}

/** Merges each index into one piece, which drops what was deleted. */
export function mergeFullText(db: Connection, present: FullText): void {
  if (present.words) db.exec(`INSERT INTO ${WORDS}(${WORDS}) VALUES ('optimize')`);
  if (present.trigrams) db.exec(`INSERT INTO ${TRIGRAMS}(${TRIGRAMS}) VALUES ('optimize')`);
}

/** False where this build of SQLite knows neither FTS5 nor the tokenizer. */
function createIndex(db: Connection, name: Index): boolean {
  try {
    db.exec(`CREATE VIRTUAL TABLE ${name} USING fts5(${options[name]})`);
    return true;
  } catch (error) {
    if (sqliteCode(error) === 1) return false;
    throw error;
  }
}

function fill(db: Connection, name: Index): void {
  db.exec(`INSERT INTO ${name}(rowid, content) SELECT m.id, ${indexedText('m')} FROM messages m ORDER BY m.id`);
}

function missingTriggers(name: Index, objects: readonly Row[]): string[] {
  const remove = `DELETE FROM ${name} WHERE rowid = old.id;`;
  const add = `INSERT INTO ${name}(rowid, content) VALUES (new.id, ${indexedText('new')});`;
  const wanted = { INSERT: add, DELETE: remove, UPDATE: `${remove} ${add}` };
  return Object.entries(wanted).flatMap(([event, body]) => {
    if (objects.some((row) => isTrigger(row, name, event))) return [];
    const trigger = `${name}_${event.toLowerCase()}`;
    return [`CREATE TRIGGER IF NOT EXISTS ${trigger} AFTER ${event} ON messages BEGIN ${body} END`];
  });
}

/** True for a trigger that keeps one of the indexes in step with the messages. */
export function feedsFullText(row: Row): boolean {
  return names.some((name) => ['INSERT', 'DELETE', 'UPDATE'].some((event) => isTrigger(row, name, event)));
}

// Recognised by what it does: a second trigger of another name would index every message twice and make inserts fail.
function isTrigger(row: Row, name: Index, event: string): boolean {
  const sql = text(row, 'sql');
  return (
    text(row, 'type') === 'trigger' &&
    text(row, 'tbl_name') === 'messages' &&
    new RegExp(`\\bAFTER\\s+${event}\\b`, 'i').test(sql) &&
    new RegExp(`\\b${name}\\b`, 'i').test(sql)
  );
}
