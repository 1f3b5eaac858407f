/** `/statusbar`: the line under the conversation. */
import type { SlashCommand } from '../command.ts';

export const statusbar: SlashCommand = {
  name: 'statusbar',
  aliases: ['sb'],
  category: 'Configuration',
  description: 'show or hide the status bar',
  surface: 'cli',
  whileBusy: true,
  run({ settings, redraw }) {
    settings.statusBar = !settings.statusBar;
    redraw();
  },
};
