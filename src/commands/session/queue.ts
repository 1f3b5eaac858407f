/** `/queue`: holds a message for the next turn. */
import type { SharedCommand } from '../command.ts';

export const queue: SharedCommand = {
  name: 'queue',
  aliases: ['q'],
  category: 'Session',
  description: 'hold a message until the running turn is done',
  argumentHint: '<prompt>',
  surface: 'both',
  whileBusy: true,
  async run({ worker, ui }, args) {
    if (args === '') return ui.print('Usage: /queue <prompt>');
    const { as } = await worker.submit({ content: args }, 'queue');
    if (as === 'queued') ui.print(`Queued for the next turn: ${args}`);
  },
};
