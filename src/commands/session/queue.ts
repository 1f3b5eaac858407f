/** `/queue`: holds a message for the next turn, and shows what is held. */
import { textOf } from '../../llm/message.ts';
import type { CommandContext, SharedCommand } from '../command.ts';

export const queue: SharedCommand = {
  name: 'queue',
  aliases: ['q'],
  category: 'Session',
  description: 'hold a message until the running turn is done; alone, see what is held',
  argumentHint: '<prompt>',
  surface: 'both',
  whileBusy: true,
  async run(context, args) {
    const { worker, ui } = context;
    if (args === '') return await showWaiting(context);
    const { as } = await worker.submit({ content: args }, 'queue');
    if (as === 'queued') ui.print(`Queued for the next turn: ${args}`);
  },
};

/** Enter takes a message back into the input, to be changed; a key throws it away. */
async function showWaiting({ worker, ui }: CommandContext): Promise<void> {
  for (;;) {
    const waiting = await worker.waiting();
    if (waiting.length === 0) return ui.print('No message waits. Hold one with: /queue <prompt>');
    const rows = waiting.map(({ id, content }) => ({ value: id, label: textOf(content) }));
    if (ui.pick === undefined) return ui.print(rows.map(({ label }, at) => `${at + 1}. ${label}`).join('\n'));
    const actions = [{ key: 'x', name: 'delete' }] as const;
    const picked = await ui.pick({ title: 'Messages that wait; Enter takes one back to change it', rows, actions });
    const chosen = waiting.find(({ id }) => id === picked?.value);
    if (picked === undefined || chosen === undefined) return;
    const isOut = await worker.remove(chosen.id);
    if (!isOut) ui.print('That message is being answered already.');
    else if (picked.action === undefined) return ui.offerInput?.(textOf(chosen.content));
  }
}
