/** Whether a database of a newer version takes what this build writes: looked up first, then tried and rolled back. */
import { errorMessage, UserError } from '../../lib/errors.ts';
import { OPENING } from './attempts.ts';
import { number, text } from './columns.ts';
import type { Connection } from './connection.ts';
import { feedsFullText } from './full-text.ts';
import type { Inspection } from './inspect.ts';
import { SCHEMA_VERSION, type TableName, tables } from './schema.ts';
import { isBusy, sqliteCode } from '../../lib/sqlite.ts';

const CONSTRAINT = 19;
/** Tables of the original that this build writes to. */
const written: readonly TableName[] = [
  'sessions',
  'messages',
  'session_model_usage',
  'state_meta',
  'compression_locks',
];

/** It can be read, but is not certain to take what would be written. */
export class NewerSchemaError extends UserError {
  /** One line for a person who only reads. */
  readonly readingLine: string;

  constructor(path: string, version: number, problem: string) {
    const facts = `${path} has schema version ${version}, this build knows up to ${SCHEMA_VERSION}, and ${problem}`;
    super(`Cannot ${OPENING}: ${facts}.`, {
      hint: 'Update Hermes Agent, or set HERMES_HOME to another directory. The file was left untouched.',
    });
    this.readingLine = `${facts}: it is opened for reading only.`;
  }
}

/** One line for a person whose newer database is used as it is. */
export function newerLine(path: string, version: number): string {
  return `${path} has schema version ${version}, newer than the ${SCHEMA_VERSION} that this build knows. It fits, and is used as it is.`;
}

/** Throws `NewerSchemaError` naming both versions; nothing has changed then. */
export async function requireFitting(db: Connection, found: Inspection, version: number): Promise<void> {
  const problem = (await db.read(OPENING, () => mismatch(db, found))) ?? (await refusalOfWrites(db));
  if (problem !== undefined) throw new NewerSchemaError(db.path, version, problem);
}

/** What the structure says against writing: a column that is gone, one that must be filled, a trigger of others. */
function mismatch(db: Connection, { missing, objects }: Inspection): string | undefined {
  const gone = missing.filter((qualified) => written.some((table) => qualified.startsWith(`${table}.`)));
  if (gone.length > 0) return `it lacks ${gone.join(', ')}`;
  const required = written.flatMap((table) => {
    const columns = db.all('SELECT name, "notnull", dflt_value, pk FROM pragma_table_info(?)', table);
    return columns
      .filter((column) => !(text(column, 'name') in tables[table]))
      .filter(
        (column) => number(column, 'pk') > 0 || (number(column, 'notnull') !== 0 && column['dflt_value'] === null),
      )
      .map((column) => `${table}.${text(column, 'name')}`);
  });
  if (required.length > 0) return `it requires ${required.join(', ')}`;
  const trigger = objects.find(
    (row) =>
      text(row, 'type') === 'trigger' &&
      written.some((table) => table === text(row, 'tbl_name')) &&
      !feedsFullText(row),
  );
  return trigger && `its trigger ${text(trigger, 'name')} is not known`;
}

async function refusalOfWrites(db: Connection): Promise<string | undefined> {
  try {
    await db.rehearse(OPENING, () => {
      const id = ' rehearsal';
      db.run('INSERT INTO sessions (id, source, started_at) VALUES (?, ?, ?)', id, 'cli', 0);
      db.run(
        'INSERT INTO messages (session_id, role, timestamp, observed, active, compacted) VALUES (?, ?, ?, 0, 1, 0)',
        id,
        'user',
        0,
      );
      db.run('UPDATE messages SET active = 0, compacted = 1 WHERE session_id = ?', id);
      db.run('UPDATE sessions SET message_count = message_count + 1, ended_at = NULL WHERE id = ?', id);
      db.run('INSERT INTO session_model_usage (session_id, model) VALUES (?, ?)', id, 'rehearsal');
      db.run('DELETE FROM session_model_usage WHERE session_id = ?', id);
      db.run(
        'INSERT INTO compression_locks (session_id, holder, acquired_at, expires_at) VALUES (?, ?, 0, 0)',
        id,
        'rehearsal',
      );
      db.run('DELETE FROM compression_locks WHERE session_id = ?', id);
      db.run('INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)', id, 'rehearsal');
      db.run('DELETE FROM messages WHERE session_id = ?', id);
      db.run('DELETE FROM sessions WHERE id = ?', id);
    });
    return undefined;
  } catch (error) {
    if (error instanceof UserError || isBusy(error)) throw error;
    const code = sqliteCode(error);
    if (code === 1 || code === CONSTRAINT) return `it refuses what would be written (${errorMessage(error)})`;
    throw error;
  }
}
