/** Turns failures of the SQLite library into errors that name the file and the next step. */
import { errorMessage, UserError } from '../../lib/errors.ts';
import { sqliteCode } from '../../lib/sqlite.ts';

const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;

/** True for what a write meets whose search index is damaged; the file itself may be as well. */
export function isIndexDamage(error: unknown): boolean {
  return sqliteCode(error) === CORRUPT || /fts5.*corrupt/i.test(errorMessage(error));
}

/** True when it is a condition of the file, which whatever is tried next meets as well. */
export function concernsFile(error: unknown): boolean {
  return explanations[sqliteCode(error) ?? 0] !== undefined;
}

/**
 * The error to throw for a failure at `path`. `attempted` completes "Cannot …". What is neither a `UserError` nor a
 * condition of the file comes back unchanged: it is a defect, which no user can repair.
 */
export function storageError(path: string, attempted: string, error: unknown): unknown {
  const explanation = explanations[sqliteCode(error) ?? 0];
  if (error instanceof UserError || explanation === undefined) return error;
  return new UserError(`Cannot ${attempted}: ${explanation.problem(path, errorMessage(error))}.`, {
    hint: explanation.hint,
    cause: error,
  });
}

interface Explanation {
  problem(path: string, reason: string): string;
  readonly hint: string;
}

const locked: Explanation = {
  problem: (path) => `the session database ${path} is locked by another process`,
  hint: 'Wait until the other program has finished, or close it, then try again.',
};
const unwritable: Explanation = {
  problem: (path, reason) => `the session database ${path} is not accessible (${reason})`,
  hint: 'Make the file and its directory readable and writable for this user, or set HERMES_HOME to another directory.',
};
const damaged: Explanation = {
  problem: (path, reason) => `the session database ${path} is damaged (${reason})`,
  hint: 'The file was left as it is. Run `hermes sessions repair` to check it and to rebuild what can be rebuilt.',
};

/** By primary result code (sqlite.org/rescode.html). */
const explanations: Readonly<Record<number, Explanation>> = {
  3: unwritable,
  [BUSY]: locked,
  [LOCKED]: locked,
  8: {
    problem: (path, reason) => `the session database ${path} is not accessible for writing (${reason})`,
    hint: unwritable.hint,
  },
  10: {
    problem: (path, reason) => `reading or writing the session database ${path} failed (${reason})`,
    hint: 'Check the disk and its free space.',
  },
  11: damaged,
  13: {
    problem: (path) => `no space is left for the session database ${path}`,
    hint: 'Free some disk space, then try again; `hermes sessions prune` removes old sessions.',
  },
  14: unwritable,
  15: {
    problem: (path, reason) => `the session database ${path} cannot be locked (${reason})`,
    hint: 'It may stand on NFS, SMB or FUSE (https://www.sqlite.org/wal.html): set HERMES_HOME to a directory on a local disk.',
  },
  23: unwritable,
  26: damaged,
};
