/** `/new`: a fresh conversation. */
import { type SharedCommand, takeYes } from '../command.ts';
import { mayLose } from '../confirm-loss.ts';
import { storeTitle } from './title.ts';

export const newSession: SharedCommand = {
  name: 'new',
  aliases: ['reset'],
  category: 'Session',
  description: 'start a new conversation',
  argumentHint: '[title] [now]',
  values: ['now'],
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    const { yes, rest } = takeYes(args);
    const empty = context.session.agent.history.length === 0;
    if (!yes && !empty && !(await mayLose(context.ui, 'new', 'End this conversation and start a new one?'))) return;
    const session = await context.navigation.switchSession({}, 'new_session');
    context.ui.print(`New session started: ${session.id}`);
    if (rest !== '') await storeTitle({ ...context, session }, rest);
  },
};
