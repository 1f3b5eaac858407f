/** `/clear`: a fresh conversation on a clean screen. */
import { takeYes, type TerminalCommand } from '../command.ts';
import { mayLose } from '../confirm-loss.ts';

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
    const { yes } = takeYes(args);
    if (!yes && !empty && !(await mayLose(context.ui, 'clear', 'End this conversation and clear the screen?'))) return;
    await context.navigation.switchSession({}, 'new_session');
    context.ui.clearScreen();
  },
};
