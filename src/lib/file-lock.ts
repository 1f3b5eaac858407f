/** One process at a time: locks that the system gives back when a process dies. */
import { mkdirSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, UserError } from './errors.ts';

export interface FileLockOptions {
  /** How long to wait for others; default 15,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` while nobody else, in this process or another, holds the lock `path`; waits for them without blocking
 * the event loop. The file holds nothing and stays: the lock is SQLite's own on it, as Node has no `flock`. Not
 * re-entrant. Throws `UserError` when the wait is too long or the file cannot be made, else what `work` throws.
 *
 * @example
 * await withFileLock(join(home, 'auth.lock'), () => writeFileAtomic(path, change(read(path))));
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T> | T,
  { timeoutMs = 15_000, signal }: FileLockOptions = {},
): Promise<T> {
  const lock = await take(path, Date.now() + timeoutMs, signal);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function take(path: string, deadline: number, signal: AbortSignal | undefined): Promise<{ close(): void }> {
  for (let waitMs = 2; ; waitMs = Math.min(waitMs * 2, 50)) {
    signal?.throwIfAborted();
    const lock = tryFileLock(path);
    if (lock !== undefined) return lock;
    if (Date.now() >= deadline) {
      throw new UserError(`Another process has been holding ${path} for too long.`, {
        hint: 'Look for a hermes process that hangs, end it, and try again.',
      });
    }
    // Waiters that began together must not meet again and again.
    await sleep(waitMs * (0.5 + Math.random()));
  }
}

/** The lock until it is closed; undefined while somebody else holds it. Throws `UserError` when it cannot be made. */
export function tryFileLock(path: string): { close(): void } | undefined {
  mkdirSync(dirname(path), { recursive: true });
  // Loaded when a lock is taken: most commands take none.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    const message = errorMessage(error);
    if (/locked|busy/i.test(message)) return undefined;
    // A lock file of another program may hold a few bytes; they mean nothing.
    if (/not a database/i.test(message)) {
      truncateSync(path);
      return undefined;
    }
    throw new UserError(`The lock ${path} cannot be taken: ${message}`, {
      hint: 'Check that its directory can be written to.',
    });
  }
}
