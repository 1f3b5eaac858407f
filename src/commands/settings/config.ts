/** `/config`: the effective configuration. */
import type { SlashCommand } from '../command.ts';

export const config: SlashCommand = {
  name: 'config',
  category: 'Configuration',
  description: 'show the configuration',
  surface: 'cli',
  whileBusy: true,
  run: async (context) => context.print(await context.configReport()),
};
