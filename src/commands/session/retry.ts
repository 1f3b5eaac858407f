/** `/retry`: asks the last question again. */
import type { SharedCommand } from '../command.ts';
import { lastExchange } from './last-exchange.ts';

export const retry: SharedCommand = {
  name: 'retry',
  category: 'Session',
  description: 'drop the last answer and ask again',
  surface: 'both',
  whileBusy: false,
  async run(context) {
    const last = lastExchange(context.session.agent.history);
    if (last === undefined) {
      context.ui.print('There is nothing to retry.');
      return;
    }
    // The question stays where it is: whatever happens to the turn, it is not lost.
    await context.worker.replaceHistory([...last.before, last.question], { answer: true });
  },
};
