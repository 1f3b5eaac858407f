/** `/steer`: guides the running turn without stopping it. */
import type { SlashCommand } from '../command.ts';

export const steer: SlashCommand = {
  name: 'steer',
  category: 'Session',
  description: 'guide the running turn: the text goes along with the next tool result',
  argumentHint: '<prompt>',
  surface: 'both',
  whileBusy: true,
  run(context, args) {
    if (args === '') context.print('Usage: /steer <prompt>');
    else if (context.session.agent.steer(args)) context.print(`Steering: ${args}`);
    else context.send(args);
  },
};
