/** `/background`: a task beside the conversation, whose result is shown when it is there. */
import { escapeForDisplay } from '../../safety/display.ts';
import type { TerminalCommand } from '../command.ts';

const shownPrompt = 60;

export const background: TerminalCommand = {
  name: 'background',
  aliases: ['bg', 'btw'],
  category: 'Session',
  description: 'do something beside this conversation, and show the result when it is there',
  argumentHint: '<prompt>',
  surface: 'cli',
  whileBusy: true,
  run({ tasks, ui }, args) {
    if (args === '') return ui.print('Usage: /background <prompt>');
    const { id, number } = tasks.start(args);
    const shown = args.length > shownPrompt ? `${args.slice(0, shownPrompt).toWellFormed()}...` : args;
    ui.print(
      [
        `🔄 Background task #${number} started: "${escapeForDisplay(shown, { singleLine: true })}"`,
        `   Task ID: ${id}`,
        '   You can go on; the result is shown here when it is there. /agents lists it.',
      ].join('\n'),
    );
  },
};
