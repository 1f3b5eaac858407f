/** `/statusbar`: the line under the conversation. */
import type { TerminalCommand } from '../command.ts';

export const statusbar: TerminalCommand = {
  name: 'statusbar',
  aliases: ['sb'],
  category: 'Configuration',
  description: 'show or hide the status bar',
  surface: 'cli',
  whileBusy: true,
  run({ settings, ui }) {
    settings.display.statusBar = !settings.display.statusBar;
    ui.redraw();
  },
};
