/** `/new`: a fresh conversation. */
import { type SlashCommand, takeYes } from '../command.ts';

export const newSession: SlashCommand = {
  name: 'new',
  aliases: ['reset'],
  category: 'Session',
  description: 'start a new conversation',
  argumentHint: '[title] [now]',
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    const { yes, rest } = takeYes(args);
    const empty = context.session.agent.history.length === 0;
    if (!yes && !empty && !(await context.confirm('End this conversation and start a new one?'))) return;
    await context.switchSession(rest === '' ? {} : { title: rest }, 'new_session');
    context.print(`New session started: ${context.session.id}`);
  },
};
