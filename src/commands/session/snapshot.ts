/** `/snapshot`: quick copies of the home's state, and the way back to one. */
import { SNAPSHOTS_KEPT, StateSnapshots } from '../../backups/snapshots.ts';
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import type { TerminalCommand, TerminalContext } from '../command.ts';

const USAGE = 'Usage: /snapshot [list|create [label]|restore <id or number>|prune [how many stay]]';

export const snapshot: TerminalCommand = {
  name: 'snapshot',
  aliases: ['snap'],
  category: 'Session',
  description: 'copy the state of this home, or go back to a copy',
  argumentHint: '[create|restore <id>|prune]',
  values: ['list', 'create', 'restore', 'prune'],
  complete: ({ paths }) => {
    const taken = paths === undefined ? [] : new StateSnapshots(paths.homePath).list();
    return taken.map(({ id, file_count: files }) => ({ value: `restore ${id}`, description: counted(files, 'file') }));
  },
  surface: 'cli',
  whileBusy: false,
  async run(context, args) {
    const [word = 'list', ...rest] = args.split(/\s+/).filter((part) => part !== '');
    const { paths } = context.about;
    if (paths === undefined) throw new UserError('Snapshots are taken where the program runs on your own machine.');
    const snapshots = new StateSnapshots(paths.homePath);
    const argument = rest.join(' ');
    if (word === 'list' && argument === '') list(context, snapshots);
    else if (word === 'create') await create(context, snapshots, argument);
    else if (word === 'restore' && argument !== '') await restore(context, snapshots, argument);
    else if (word === 'prune' && /^\d{0,4}$/.test(argument)) {
      const gone = snapshots.prune(argument === '' ? SNAPSHOTS_KEPT : Number(argument));
      context.ui.print(gone === 1 ? '1 snapshot deleted.' : `${gone} snapshots deleted.`);
    } else throw new UserError(USAGE);
  },
};

function list({ ui }: TerminalContext, snapshots: StateSnapshots): void {
  const all = snapshots.list();
  if (all.length === 0) return ui.print('There are no snapshots yet. Take one with: /snapshot create');
  const lines = all.map(({ id, file_count: files, total_size: bytes }, index) => {
    return `${String(index + 1).padStart(3)}. ${id}  ${counted(files, 'file')}, ${Math.ceil(bytes / 1024)} KB`;
  });
  ui.print(lines.join('\n'));
}

async function create({ ui }: TerminalContext, snapshots: StateSnapshots, label: string): Promise<void> {
  const taken = await snapshots.create(label);
  ui.print(taken === undefined ? 'No state files found to snapshot.' : `Snapshot taken: ${taken.id}`);
}

async function restore({ ui }: TerminalContext, snapshots: StateSnapshots, which: string): Promise<void> {
  if (
    !(await ui.confirm(`Put the state of snapshot ${which} back? Settings and conversations since then are replaced.`))
  ) {
    return ui.print('Nothing was changed.');
  }
  const { restored, before } = await snapshots.restore(which);
  const kept = before === undefined ? '' : ` What was there before: ${before.id}.`;
  ui.print(
    `${counted(restored.file_count, 'file')} of ${restored.id} put back.${kept} Start hermes anew to work with them.`,
  );
}
