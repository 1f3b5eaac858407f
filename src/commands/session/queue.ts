/** `/queue`: holds a message for the next turn. */
import type { SlashCommand } from '../command.ts';

export const queue: SlashCommand = {
  name: 'queue',
  aliases: ['q'],
  category: 'Session',
  description: 'hold a message until the running turn is done',
  argumentHint: '<prompt>',
  surface: 'both',
  whileBusy: true,
  run(context, args) {
    if (args === '') {
      context.print('Usage: /queue <prompt>');
      return;
    }
    if (!context.session.agent.busy) {
      context.send(args);
      return;
    }
    context.session.agent.queue(args);
    context.print(`Queued for the next turn: ${args}`);
  },
};
