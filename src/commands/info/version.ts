/** `/version`: what this build is. */
import type { SlashCommand } from '../command.ts';

export const version: SlashCommand = {
  name: 'version',
  category: 'Info',
  description: 'show the version',
  surface: 'both',
  whileBusy: true,
  run: ({ about, print }) =>
    print(`Hermes Agent v${about.version} · Node ${process.version} · ${process.platform} ${process.arch}`),
};
