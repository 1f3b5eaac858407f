/** `hermes sessions rename`, `delete`, `unarchive` and `optimize` */
import { UserError } from '../../lib/errors.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { CliContext } from '../command.ts';
import { confirm } from './confirm.ts';
import { notFound, withSession, withStore } from './with-store.ts';

export async function renameSession(context: CliContext, reference: string, title: string): Promise<void> {
  await withSession(context, reference, async (store, session) => {
    const stored = await store.sessions.setTitle(session.id, title).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      throw new UserError(`Error: ${error.message}`, { cause: error, ...(error.hint && { hint: error.hint }) });
    });
    const done = stored === null ? 'has no title now' : `renamed to: ${shown(stored)}`;
    context.io.stdout.write(`Session '${session.id}' ${done}\n`);
  });
}

export async function deleteSession(context: CliContext, reference: string, options: { yes?: true }): Promise<void> {
  await withSession(context, reference, async (store, session) => {
    const name = session.title === null ? '' : ` "${shown(session.title)}"`;
    const question = `Delete session '${shown(session.id)}'${name} and its ${session.message_count} message(s)?`;
    if (options.yes !== true && !(await confirm(context.io, question))) {
      context.io.stdout.write('Cancelled.\n');
      return;
    }
    // Somebody else may have deleted it while the question was open.
    if (!(await store.maintenance.deleteSession(session.id))) throw notFound(reference);
    context.io.stdout.write(`Deleted session '${shown(session.id)}'.\n`);
  });
}

/** Brings an archived session back, with the conversation it belongs to. */
export async function unarchiveSession(context: CliContext, reference: string): Promise<void> {
  await withSession(context, reference, async (store, session) => {
    await store.maintenance.archive(session.id, false);
    context.io.stdout.write(`Session '${shown(session.id)}' is back in the lists.\n`);
  });
}

/** Merges the search index and gives unused space back. */
export async function optimizeStore(context: CliContext): Promise<void> {
  const sizes = await withStore(context, async (store) => {
    const before = (await store.maintenance.stats()).sizeBytes;
    await store.maintenance.vacuum();
    return { before, after: (await store.maintenance.stats()).sizeBytes };
  });
  if (sizes === undefined) {
    context.io.stdout.write('No sessions found.\n');
    return;
  }
  const mb = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
  const { before, after } = sizes;
  context.io.stdout.write(
    `Database size: ${mb(before)} MB -> ${mb(after)} MB (reclaimed ${mb(Math.max(0, before - after))} MB)\n`,
  );
}

function shown(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}
