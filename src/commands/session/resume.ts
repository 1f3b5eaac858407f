/** `/resume`: goes on with an earlier conversation. */
import { UserError } from '../../lib/errors.ts';
import type { SharedCommand } from '../command.ts';
import { pickSession } from './pick-session.ts';
import { sessionDetail, sessionLine } from './list-line.ts';

const offered = 100;

export const resume: SharedCommand = {
  name: 'resume',
  category: 'Session',
  description: 'go on with an earlier conversation; alone, choose one',
  argumentHint: '[title|id]',
  complete: async ({ store, session }) => {
    const stored = (await store?.sessions.list({ limit: offered })) ?? [];
    return stored
      .filter(({ id }) => id !== session.id)
      .map((found) => ({ value: found.title ?? found.id, description: sessionDetail(found, Date.now()) }));
  },
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    const { store } = context;
    if (store === undefined) throw new UserError('Conversations are not saved in this run.');
    if (args === '' && context.ui.pick !== undefined) {
      const chosen = await pickSession(context, store);
      if (chosen !== undefined) await context.navigation.switchSession({ resume: chosen }, 'resumed_other');
      return;
    }
    if (args === '') {
      const recent = (await store.sessions.list({ limit: 50 }))
        .filter((session) => session.title !== null)
        .slice(0, 10);
      context.ui.print(
        recent.length === 0
          ? 'No titled conversation yet; /sessions lists all of them.'
          : recent.map((session) => sessionLine(session, Date.now())).join('\n'),
      );
      return;
    }
    const found = await store.sessions.resolve(args);
    if (found === undefined)
      throw new UserError(`No session found matching '${args}'.`, { hint: '/sessions lists them.' });
    if (found.id === context.session.id) {
      context.ui.print('That is this conversation.');
      return;
    }
    await context.navigation.switchSession({ resume: found }, 'resumed_other');
  },
};
