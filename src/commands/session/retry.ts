/** `/retry`: asks the last question again. */
import type { SlashCommand } from '../command.ts';
import { cutHistory, lastExchange } from './last-exchange.ts';

export const retry: SlashCommand = {
  name: 'retry',
  category: 'Session',
  description: 'drop the last answer and ask again',
  surface: 'both',
  whileBusy: false,
  async run(context) {
    const last = lastExchange(context.session.agent.history);
    if (last === undefined) {
      context.print('There is nothing to retry.');
      return;
    }
    await cutHistory(context, last.before);
    context.send(last.question.content);
  },
};
