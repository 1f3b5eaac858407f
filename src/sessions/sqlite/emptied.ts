/** Tells a store that lost its content from one that is only begun: SQLite takes an empty file for a new database. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, UserError } from '../../lib/errors.ts';
import { OPENING } from './attempts.ts';

/** What SQLite says of a damaged file, so that a repair treats this as one. */
const CORRUPT = 11;

/** Throws `UserError` for a file of 0 bytes where something says that there was a store. */
export function refuseEmptied(path: string): void {
  if (statSync(path).size > 0) return;
  const sign = signOfStore(path);
  if (sign === undefined) return;
  const cause = Object.assign(new Error('the file is empty'), { errcode: CORRUPT });
  throw new UserError(`Cannot ${OPENING}: ${path} is empty, although there was a store (${sign}).`, {
    hint: 'Restore it from a backup, or run `hermes sessions repair` to set it aside and begin with a new one.',
    cause,
  });
}

/** Writes down that there is a store, so that its loss is noticed. */
export function noteStore(path: string): void {
  const note = noteOf(path);
  if (existsSync(note) || !existsSync(dirname(note))) return;
  try {
    writeFileSync(note, 'state.db was begun. If it is empty one day, its content was lost.\n', { mode: 0o600 });
  } catch (error) {
    // The store works without it; only the loss of its content would go unnoticed.
    if (errorCode(error) === undefined) throw error;
  }
}

function noteOf(path: string): string {
  return join(dirname(path), 'sessions', `.${basename(path)}-was-begun`);
}

function signOfStore(path: string): string | undefined {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) return `${basename(path)}-wal is there`;
  const name = basename(path);
  const backup = readdirSync(dirname(path)).find(
    (file) => file.startsWith(`${name}.`) && /\.backup$|malformed-backup/.test(file),
  );
  if (backup !== undefined) return `${backup} is there`;
  return existsSync(noteOf(path)) ? 'it was begun before' : undefined;
}
