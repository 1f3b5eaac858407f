/** `hermes sessions rename`, `delete` and `prune` */
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

export async function pruneSessions(
  context: CliContext,
  options: { olderThan: number; source?: string; yes?: true },
): Promise<void> {
  const found = await withStore(context, async (store) => {
    const from = options.source === undefined ? '' : ` from '${shown(options.source)}'`;
    const question = `Delete all ended sessions${from} older than ${options.olderThan} days?`;
    if (options.yes !== true && !(await confirm(context.io, question))) {
      context.io.stdout.write('Cancelled.\n');
      return true;
    }
    const pruned = await store.maintenance.prune({
      startedBefore: Date.now() / 1000 - options.olderThan * 86_400,
      ...(options.source !== undefined && { source: options.source }),
    });
    context.io.stdout.write(`Pruned ${pruned} session(s).\n`);
    return true;
  });
  if (found === undefined) context.io.stdout.write('No sessions found.\n');
}

function shown(text: string): string {
  return escapeForDisplay(text, { singleLine: true });
}
