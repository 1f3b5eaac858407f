/** `/clear`: a fresh conversation on a clean screen. */
import { takeYes, type TerminalCommand } from '../command.ts';

export const clear: TerminalCommand = {
  name: 'clear',
  category: 'Session',
  description: 'start a new conversation and clear the screen',
  argumentHint: '[now]',
  values: ['now'],
  surface: 'cli',
  whileBusy: false,
  async run(context, args) {
    const empty = context.session.agent.history.length === 0;
    if (!takeYes(args).yes && !empty && !(await context.ui.confirm('End this conversation and clear the screen?')))
      return;
    await context.navigation.switchSession({}, 'new_session');
    context.ui.clearScreen();
  },
};
