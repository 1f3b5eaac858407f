/** `/model`: which model answers. */
import { UserError } from '../../lib/errors.ts';
import type { SlashCommand } from '../command.ts';

export const model: SlashCommand = {
  name: 'model',
  category: 'Configuration',
  description: 'show or switch the model of this session',
  argumentHint: '[name | provider:name]',
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    const { session } = context;
    // Not taken for a part of the model's name.
    const flag = args.split(/\s+/).find((word) => word.startsWith('--'));
    if (flag !== undefined) {
      throw new UserError(`/model does not take ${flag}; the model was not changed.`, {
        hint: 'Use /model <provider>:<name> for this session, or `hermes setup` to change the model for good.',
      });
    }
    if (args !== '') await session.switchModel(args);
    const { model: name, provider, baseUrl } = session.agent.route;
    context.print(`Model: ${name}\nProvider: ${provider}${baseUrl === '' ? '' : ` (${baseUrl})`}`);
    if (args === '')
      context.print('Switch with /model <name> or /model <provider>:<name>; for good with hermes setup.');
  },
};
