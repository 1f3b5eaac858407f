/** `/model`: which model answers. */
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
    if (args !== '') await session.switchModel(args);
    const { model: name, provider, baseUrl } = session.agent.route;
    context.print(`Model: ${name}\nProvider: ${provider}${baseUrl === '' ? '' : ` (${baseUrl})`}`);
    if (args === '')
      context.print('Switch with /model <name> or /model <provider>:<name>; for good with hermes setup.');
  },
};
