/** `/undo`: takes the last exchange back. */
import { textOf } from '../../llm/message.ts';
import { type SharedCommand, takeYes } from '../command.ts';
import { lastExchange } from './last-exchange.ts';

export const undo: SharedCommand = {
  name: 'undo',
  category: 'Session',
  description: 'take the last exchange back',
  argumentHint: '[now]',
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    const { history } = context.session.agent;
    const last = lastExchange(history);
    if (last === undefined) {
      context.ui.print('There is nothing to undo.');
      return;
    }
    const preview = textOf(last.question.content).replace(/\s+/g, ' ').slice(0, 80);
    if (!takeYes(args).yes && !(await context.ui.confirm(`Remove “${preview}” and everything after it?`))) return;
    await context.worker.replaceHistory(last.before);
    context.ui.print(`Removed ${history.length - last.before.length} messages, from: ${preview}`);
  },
};
