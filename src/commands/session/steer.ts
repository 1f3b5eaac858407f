/** `/steer`: guides the running turn without stopping it. */
import type { SharedCommand } from '../command.ts';

export const steer: SharedCommand = {
  name: 'steer',
  category: 'Session',
  description: 'guide the running turn: the text goes along with the next tool result',
  argumentHint: '<prompt>',
  surface: 'both',
  whileBusy: true,
  async run({ worker, ui }, args) {
    if (args === '') return ui.print('Usage: /steer <prompt>');
    const { as } = await worker.submit({ content: args }, 'steer');
    if (as === 'steered') ui.print(`Steering: ${args}`);
    else if (as === 'queued') ui.print(`Queued for the next turn: ${args}`);
  },
};
