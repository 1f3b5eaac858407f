/** `/quit`: leaves the program. */
import { UserError } from '../../lib/errors.ts';
import { takeYes, type TerminalCommand } from '../command.ts';
import { mayLose } from '../confirm-loss.ts';

export const quit: TerminalCommand = {
  name: 'quit',
  aliases: ['exit'],
  category: 'Exit',
  description: 'leave; --delete also erases this conversation',
  argumentHint: '[--delete|-d]',
  values: ['--delete'],
  surface: 'cli',
  whileBusy: true,
  async run(context, args) {
    const { yes, rest } = takeYes(args);
    if (!['', '--delete', '-d'].includes(rest.toLowerCase())) throw new UserError('Usage: /quit [--delete]');
    if (rest === '') {
      context.navigation.quit();
      return;
    }
    const { session, store } = context;
    if (session.agent.busy) throw new UserError('A turn is running.', { hint: 'Stop it first: /stop' });
    const empty = session.agent.history.length === 0;
    if (!yes && !empty && !(await mayLose(context.ui, 'quit', 'Erase this conversation for good and leave?'))) return;
    session.agent.replaceHistory([]);
    await store?.maintenance.deleteSession(session.id);
    context.navigation.quit();
  },
};
