/** `/rollback`: lists the checkpoints of the project, shows what changed since one, and brings files back. */
import { type Checkpoint, CheckpointStore, projectRoot } from '../../checkpoints/checkpoint-store.ts';
import { UserError } from '../../lib/errors.ts';
import type { CommandContext, SharedCommand } from '../command.ts';
import type { RealPaths } from '../own-machine.ts';
import { lastExchange } from './last-exchange.ts';

const usage = 'Usage: /rollback [N|diff N|N file]';
const maxDiffChars = 20_000;

export const rollback: SharedCommand = {
  name: 'rollback',
  category: 'Session',
  description: 'list checkpoints of the files here, or go back to one',
  argumentHint: '[number]',
  values: ['diff'],
  complete: async ({ paths }) => {
    if (paths === undefined) return [];
    const checkpoints = await openStore(paths).list(projectRoot(paths.cwd));
    return checkpoints.flatMap(({ reason, changes }, at) => {
      const description = `${reason}${changes === '' ? '' : ` (${changes})`}`;
      return [`${at + 1}`, `diff ${at + 1}`].map((value) => ({ value, description }));
    });
  },
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    const { store, directory } = open(context);
    const checkpoints = await store.list(directory);
    if (checkpoints.length === 0) {
      context.ui.print(
        `There are no checkpoints of ${directory}. They are taken with --checkpoints, or always with: hermes config set checkpoints.enabled true`,
      );
      return;
    }
    if (/^diff$/i.test(args)) throw new UserError(usage, { exitCode: 2 });
    const [, word, which, file] = /^(?:(diff)\s+)?(\S+)(?:\s+(.+))?$/i.exec(args) ?? [];
    if (which === undefined) return context.ui.print(listed(checkpoints, directory));
    const chosen = find(checkpoints, which);
    if (word !== undefined && file === undefined) {
      const diff = await store.diff(directory, chosen.commit);
      const cut = diff.length > maxDiffChars ? `${diff.slice(0, maxDiffChars).toWellFormed()}\n… (cut)` : diff;
      context.ui.print(diff === '' ? 'Nothing has changed since then.' : cut);
    } else if (word === undefined) await restore(context, { store, directory, chosen, file });
    else throw new UserError(usage, { exitCode: 2 });
  },
};

async function restore(
  context: CommandContext,
  {
    store,
    directory,
    chosen,
    file,
  }: { store: CheckpointStore; directory: string; chosen: Checkpoint; file: string | undefined },
): Promise<void> {
  await store.restore(directory, chosen.commit, file);
  const at = `${chosen.commit.slice(0, 8)} (${chosen.reason})`;
  if (file !== undefined) return context.ui.print(`${file} is as it was at ${at}.`);
  const { history } = context.session.agent;
  const last = lastExchange(history, 1);
  if (last !== undefined) await context.worker.replaceHistory(last.before);
  const taken = last === undefined ? '' : ' The last question and its answer were taken back as well.';
  context.ui.print(
    `The files of ${directory} are as they were at ${at}; what was there before is a checkpoint.${taken}`,
  );
}

function open({ about }: CommandContext): { readonly store: CheckpointStore; readonly directory: string } {
  const { paths } = about;
  if (paths === undefined) throw new UserError('Checkpoints can be used at the terminal of this machine only.');
  return { store: openStore(paths), directory: projectRoot(paths.cwd) };
}

function openStore({ homePath, env, checkpoints }: RealPaths): CheckpointStore {
  return new CheckpointStore({ homePath, env, ...checkpoints() });
}

function listed(checkpoints: readonly Checkpoint[], directory: string): string {
  const lines = checkpoints.map(({ commit, takenAt, reason, changes }, index) => {
    const time = takenAt.toLocaleString('sv-SE').slice(0, 16);
    return `${String(index + 1).padStart(3)}. ${commit.slice(0, 8)}  ${time}  ${reason}${changes === '' ? '' : `  (${changes})`}`;
  });
  return [`Checkpoints of ${directory}:`, ...lines, 'Go back with /rollback N, look first with /rollback diff N.'].join(
    '\n',
  );
}

function find(checkpoints: readonly Checkpoint[], which: string): Checkpoint {
  const byNumber = /^\d{1,3}$/.test(which) ? checkpoints[Number(which) - 1] : undefined;
  const byHash = /^[0-9a-f]{4,64}$/.test(which)
    ? checkpoints.find(({ commit }) => commit.startsWith(which))
    : undefined;
  const found = byNumber ?? byHash;
  if (found === undefined) {
    throw new UserError(`There is no checkpoint '${which}'.`, { hint: `See them with /rollback. ${usage}` });
  }
  return found;
}
