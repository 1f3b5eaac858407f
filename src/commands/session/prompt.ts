/** `/prompt`: writes a long message in an editor. */
import type { TerminalCommand } from '../command.ts';

export const prompt: TerminalCommand = {
  name: 'prompt',
  aliases: ['compose'],
  category: 'Session',
  description: 'write a long message in your editor',
  argumentHint: '[text to begin with]',
  surface: 'cli',
  whileBusy: false,
  async run({ ui, worker }, args) {
    const content = await ui.compose(args);
    if (content === undefined) return ui.print('Nothing was written, so nothing is sent.');
    await worker.submit({ content });
  },
};
