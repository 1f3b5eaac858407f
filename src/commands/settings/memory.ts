/** `/memory`: memory writes that wait for the user. */
import { UserError } from '../../lib/errors.ts';
import type { MemoryStore } from '../../memory/memory-store.ts';
import { describeMemoryChange } from '../../memory/memory-change.ts';
import type { PendingWrite } from '../../memory/pending.ts';
import { escapeForDisplay } from '../../safety/display.ts';
import type { SharedCommand } from '../command.ts';

export const memory: SharedCommand = {
  name: 'memory',
  category: 'Tools & Skills',
  description: 'review memory writes that wait for you',
  argumentHint: '[pending | approve ID|all | reject ID|all | approval on|off]',
  values: ['pending', 'approve all', 'reject all', 'approval on', 'approval off'],
  complete: ({ session }) => {
    const waiting = session.knowledge.memory?.pending.list() ?? [];
    return ['approve', 'reject'].flatMap((verb) =>
      waiting.map(({ id, payload }) => ({ value: `${verb} ${id}`, description: describeMemoryChange(payload) })),
    );
  },
  surface: 'both',
  whileBusy: true,
  async run({ session, settings, ui }, args) {
    const [verb = 'pending', what = '', ...rest] = args.split(/\s+/).filter((word) => word !== '');
    if (rest.length > 0) throw usage();
    if (verb === 'approval') {
      if (what !== 'on' && what !== 'off') throw usage();
      await settings.save([{ path: ['memory', 'write_approval'], value: what === 'on' }]);
      ui.print(`From the next session on, memory writes ${what === 'on' ? 'wait for you' : 'go through at once'}.`);
      return;
    }
    const store = session.knowledge.memory;
    if (store === undefined) return ui.print('This session keeps no memory.');
    if (verb === 'pending') return ui.print(list(store));
    if ((verb !== 'approve' && verb !== 'reject') || what === '') throw usage();
    const ids = what === 'all' ? store.pending.list().map(({ id }) => id) : [what];
    for (const id of ids) ui.print(verb === 'approve' ? await approve(store, id) : reject(store, id));
    if (ids.length === 0) ui.print('Nothing waits for you.');
  },
};

async function approve(store: MemoryStore, id: string): Promise<string> {
  const answer = await store.approve(id);
  const said = answer['message'] ?? answer['error'];
  return `${id}: ${typeof said === 'string' ? said : 'done'}`;
}

function reject(store: MemoryStore, id: string): string {
  return store.pending.remove(id) ? `${id}: thrown away.` : `No memory write '${id}' waits for approval.`;
}

function list(store: MemoryStore): string {
  const waiting = store.pending.list();
  if (waiting.length === 0) return 'No memory writes wait for you.';
  return [...waiting.map(line), 'Use /memory approve ID or /memory reject ID (or all).'].join('\n');
}

function line({ id, origin, payload }: PendingWrite): string {
  const what = describeMemoryChange(payload).slice(0, 200);
  const tag = origin === 'auto' ? ' [auto]' : '';
  return `${id}${tag} ${escapeForDisplay(what, { singleLine: true })}`;
}

function usage(): UserError {
  return new UserError('Use /memory pending, approve ID|all, reject ID|all, approval on|off.', { exitCode: 2 });
}
