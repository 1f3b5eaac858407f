/** `/undo`: takes the last exchanges back. */
import { UserError } from '../../lib/errors.ts';
import { textOf } from '../../llm/message.ts';
import { type SharedCommand, takeYes } from '../command.ts';
import { mayLose } from '../confirm-loss.ts';
import { lastExchange, lastQuestions } from './last-exchange.ts';

const offered = 20;

export const undo: SharedCommand = {
  name: 'undo',
  category: 'Session',
  description: 'take the last question and its answer back, or the last N',
  argumentHint: '[N] [now]',
  complete: ({ session }) =>
    lastQuestions(session.agent.history, offered).map((question, at) => ({
      value: String(at + 1),
      description: textOf(question.content).replace(/\s+/g, ' ').slice(0, 80),
    })),
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    const { yes, rest } = takeYes(args);
    if (!/^\d{0,9}$/.test(rest) || /^0+$/.test(rest)) {
      throw new UserError(`/undo takes a number of questions from 1 on, not “${rest.slice(0, 40)}”.`, {
        hint: 'For example: /undo 2',
      });
    }
    const { history } = context.session.agent;
    const last = lastExchange(history, rest === '' ? 1 : Number(rest));
    if (last === undefined) {
      context.ui.print('There is nothing to undo.');
      return;
    }
    const preview = textOf(last.question.content).replace(/\s+/g, ' ').slice(0, 80);
    if (!yes && !(await mayLose(context.ui, 'undo', `Remove “${preview}” and everything after it?`))) return;
    await context.worker.replaceHistory(last.before);
    context.ui.offerInput?.(textOf(last.question.content));
    context.ui.print(`Removed ${history.length - last.before.length} messages, from: ${preview}`);
  },
};
