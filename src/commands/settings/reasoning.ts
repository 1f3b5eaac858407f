/** `/reasoning`: whether the model's reasoning is shown. */
import { UserError } from '../../lib/errors.ts';
import type { SlashCommand } from '../command.ts';

export const reasoning: SlashCommand = {
  name: 'reasoning',
  category: 'Configuration',
  description: 'show or hide what the model thinks',
  argumentHint: '[show|hide]',
  values: ['show', 'hide'],
  surface: 'cli',
  whileBusy: true,
  run({ settings, print }, args) {
    const word = args.toLowerCase();
    if (word !== '' && !['show', 'hide', 'on', 'off'].includes(word)) {
      throw new UserError(`'${args}' is not one of: show, hide`, {
        hint: 'The effort is set with: hermes config set agent.reasoning_effort high',
      });
    }
    if (word !== '') settings.showReasoning = word === 'show' || word === 'on';
    print(`Reasoning is ${settings.showReasoning ? 'shown' : 'hidden'}.`);
  },
};
