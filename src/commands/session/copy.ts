/** `/copy`: an answer into the clipboard. */
import { visibleText } from '../../agent/visible-text.ts';
import { isAnswer } from '../../llm/message.ts';
import { UserError } from '../../lib/errors.ts';
import type { TerminalCommand } from '../command.ts';

export const copy: TerminalCommand = {
  name: 'copy',
  category: 'Session',
  description: 'copy the last answer, or the Nth from the end',
  argumentHint: '[N]',
  surface: 'cli',
  whileBusy: true,
  run(context, args) {
    const n = args === '' ? 1 : Number(args);
    if (!Number.isInteger(n) || n < 1) throw new UserError('Usage: /copy [N], where N counts from the last answer');
    const answers = context.session.agent.history
      .flatMap((message) => (isAnswer(message) ? [visibleText(message.content)] : []))
      .filter((text) => text.trim() !== '');
    const text = answers.at(-n);
    if (text === undefined)
      throw new UserError(
        answers.length === 0 ? 'There is no answer yet.' : `There are only ${answers.length} answers.`,
      );
    context.ui.copy(text);
    context.ui.print(`Copied ${text.length} characters.`);
  },
};
