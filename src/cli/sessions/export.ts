/** `hermes sessions export` */
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorCode, errorMessage, UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { CliContext } from '../command.ts';
import { notFound, withStore } from './with-store.ts';

interface ExportOptions {
  readonly source?: string;
  readonly sessionId?: string;
}

export async function exportSessions(context: CliContext, out: string, options: ExportOptions): Promise<void> {
  const exported = await withStore(context, async (store) => {
    const ids = await chosenIds(store, options);
    if (out === '-') await toStdout(context, store, ids);
    else await toFile(resolve(out), store, ids);
    return ids.length;
  });
  if (exported === undefined && options.sessionId !== undefined) throw notFound(options.sessionId);
  if (out === '-') return;
  const text =
    exported === undefined
      ? 'No sessions found.'
      : `Exported ${exported} session(s) to ${escapeForDisplay(out, { singleLine: true })}`;
  context.io.stdout.write(`${text}\n`);
}

async function chosenIds(store: SessionStore, options: ExportOptions): Promise<string[]> {
  if (options.sessionId === undefined) return store.maintenance.sessionIds(options);
  const session = await store.sessions.findById(options.sessionId);
  if (session === undefined) throw notFound(options.sessionId);
  return [session.id];
}

async function* lines(store: SessionStore, ids: readonly string[]): AsyncGenerator<string> {
  for (const id of ids) yield* store.maintenance.exportSession(id);
}

async function toStdout({ io }: CliContext, store: SessionStore, ids: readonly string[]): Promise<void> {
  try {
    await pipeline(Readable.from(lines(store, ids)), io.stdout, { end: false });
  } catch (error) {
    // The reader has seen enough (`| head -1`).
    if (errorCode(error) !== 'EPIPE') throw error;
  }
}

/** The file is the old one until the new one is whole. */
async function toFile(path: string, store: SessionStore, ids: readonly string[]): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    await pipeline(Readable.from(lines(store, ids)), createWriteStream(partial, { mode: 0o600, flush: true }));
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    if (error instanceof UserError || errorCode(error) === undefined) throw error;
    throw new UserError(`Cannot export to ${path}: ${errorMessage(error)}.`, {
      hint: 'Choose a file in a directory that you can write to and that has space left.',
      cause: error,
    });
  }
}
