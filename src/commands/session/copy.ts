/** `/copy`: an answer into the clipboard. */
import { visibleText } from '../../agent/visible-text.ts';
import { isAnswer } from '../../llm/message.ts';
import { UserError } from '../../lib/errors.ts';
import type { Session } from '../../runtime/session.ts';
import type { TerminalCommand } from '../command.ts';

const offered = 20;

export const copy: TerminalCommand = {
  name: 'copy',
  category: 'Info',
  description: 'copy the last answer, or the Nth from the end',
  argumentHint: '[N]',
  complete: ({ session }) =>
    answersOf(session)
      .toReversed()
      .slice(0, offered)
      .map((text, at) => ({ value: String(at + 1), description: text.replace(/\s+/g, ' ').slice(0, 80) })),
  surface: 'cli',
  whileBusy: true,
  run(context, args) {
    const n = args === '' ? 1 : Number(args);
    if (!Number.isInteger(n) || n < 1) throw new UserError('Usage: /copy [N], where N counts from the last answer');
    const answers = answersOf(context.session);
    const text = answers.at(-n);
    if (text === undefined)
      throw new UserError(
        answers.length === 0 ? 'There is no answer yet.' : `There are only ${answers.length} answers.`,
      );
    context.ui.copy(text);
    context.ui.print(`Copied ${text.length} characters.`);
  },
};

function answersOf({ agent }: Session): string[] {
  return agent.history
    .flatMap((message) => (isAnswer(message) ? [visibleText(message.content)] : []))
    .filter((text) => text.trim() !== '');
}
