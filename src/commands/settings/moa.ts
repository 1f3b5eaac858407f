/** `/moa`: one turn through a mixture of models. */
import { UserError } from '../../lib/errors.ts';
import type { SharedCommand } from '../command.ts';

export const moa: SharedCommand = {
  name: 'moa',
  category: 'Configuration',
  description: 'answer one prompt with a mixture of models; with the name of a mixture alone, switch to it',
  argumentHint: '<prompt> | <mixture>',
  complete: async ({ session }) => (await session.model.mixtures()).names.map((value) => ({ value })),
  surface: 'both',
  whileBusy: false,
  async run({ session, worker, settings, ui }, args) {
    const { model } = session;
    const { names, usual } = await model.mixtures();
    if (args === '') {
      return ui.print(
        `Usage: /moa <prompt> answers one prompt with the mixture '${usual}'; then the model from before goes on. /moa <mixture> switches to one for this session: ${names.join(', ')}`,
      );
    }
    const before = session.agent.route;
    if (names.includes(args)) {
      for (const note of await model.switch(args, { provider: 'moa' })) ui.print(note);
      await settings.keepModel?.(session.agent.route);
      const back = before.provider === 'moa' ? '' : ` Back: /model ${before.provider}:${before.model}`;
      return ui.print(`Mixture of this session: ${args}.${back}`);
    }
    if ((await worker.waiting()).length > 0) {
      throw new UserError('Messages wait for their turn; /moa is for the next one.', {
        hint: 'Wait until they are answered.',
      });
    }
    for (const note of await model.switch(usual, { provider: 'moa', once: true })) ui.print(note);
    ui.print(`The mixture '${usual}' answers this one; then ${before.model} goes on.`);
    await worker.submit({ content: args, shown: true });
  },
};
