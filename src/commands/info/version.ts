/** `/version`: what this build is. */
import type { SharedCommand } from '../command.ts';

export const version: SharedCommand = {
  name: 'version',
  aliases: ['v'],
  category: 'Info',
  description: 'show the version',
  surface: 'both',
  whileBusy: true,
  run: ({ about, ui }) =>
    ui.print(`Hermes Agent v${about.version} · Node ${process.version} · ${process.platform} ${process.arch}`),
};
