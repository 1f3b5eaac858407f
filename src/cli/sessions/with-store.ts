/** Opens the session store for one command and closes it again. */
import { existsSync } from 'node:fs';
import { UserError } from '../../lib/errors.ts';
import { openSessionStore, storeOf } from '../../sessions/open-store.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { CliContext } from '../command.ts';

/** Where the active profile keeps its conversations. */
export function storePath(context: CliContext): string {
  return storeOf(context.home.path).path;
}

/** Runs `work` on the store, which may be one that can only be read; undefined, with nothing created, when there is none yet. */
export async function withStore<T>(
  context: CliContext,
  work: (store: SessionStore) => Promise<T>,
): Promise<T | undefined> {
  if (!existsSync(storePath(context))) return undefined;
  const store = await openSessionStore(storeOf(context.home.path), {
    forReading: 'if it must be',
    tell: (line) => context.io.stderr.write(`${line}\n`),
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Runs `work` on one session. Throws `UserError` when there is none, or more than one id begins with `reference`. */
export async function withSession(
  context: CliContext,
  reference: string,
  work: (store: SessionStore, session: SessionRow) => Promise<void>,
): Promise<void> {
  const found = await withStore(context, async (store) => {
    const session = await store.sessions.findById(reference);
    if (session !== undefined) await work(store, session);
    return session !== undefined;
  });
  if (found !== true) throw notFound(reference);
}

/** The error for an id that no session has. */
export function notFound(reference: string): UserError {
  return new UserError(`Session '${reference}' not found.`, { hint: 'Run `hermes sessions list` to see the ids.' });
}
