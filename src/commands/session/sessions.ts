/** `/sessions`: what can be resumed. */
import { UserError } from '../../lib/errors.ts';
import type { SharedCommand } from '../command.ts';
import { pickSession } from './pick-session.ts';
import { sessionLine } from './list-line.ts';

export const sessions: SharedCommand = {
  name: 'sessions',
  category: 'Session',
  description: 'list stored conversations',
  surface: 'both',
  whileBusy: true,
  async run(context) {
    const { store, ui } = context;
    if (store !== undefined && ui.pick !== undefined && !context.worker.busy) {
      const chosen = await pickSession(context, store);
      if (chosen !== undefined) await context.navigation.switchSession({ resume: chosen }, 'resumed_other');
      return;
    }
    if (context.store === undefined) throw new UserError('Conversations are not saved in this run.');
    const found = await context.store.sessions.list({ limit: 20 });
    if (found.length === 0) {
      context.ui.print('No sessions found.');
      return;
    }
    const lines = found.map((session) => sessionLine(session, Date.now()));
    context.ui.print([...lines, '', 'Go on with one: /resume <title or id>'].join('\n'));
  },
};
