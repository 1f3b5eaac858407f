/** `/statusbar`: the line under the conversation. */
import { oneOf } from '../arguments.ts';
import type { TerminalCommand } from '../command.ts';

export const statusbar: TerminalCommand = {
  name: 'statusbar',
  aliases: ['sb'],
  category: 'Configuration',
  description: 'show or hide the status bar',
  argumentHint: '[on|off]',
  values: ['on', 'off'],
  surface: 'cli',
  whileBusy: true,
  run({ settings, ui }, args) {
    const word = oneOf('statusbar', args, ['on', 'off']);
    settings.display.statusBar = word === undefined ? !settings.display.statusBar : word === 'on';
    ui.redraw();
  },
};
