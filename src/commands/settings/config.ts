/** `/config`: the effective configuration. */
import type { TerminalCommand } from '../command.ts';

export const config: TerminalCommand = {
  name: 'config',
  category: 'Configuration',
  description: 'show the configuration',
  surface: 'cli',
  whileBusy: true,
  run: async (context) => context.ui.print(await context.settings.report()),
};
