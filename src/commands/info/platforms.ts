/** `/platforms`: the gateway to chat platforms, and how it is. */
import type { TerminalCommand } from '../command.ts';

export const platforms: TerminalCommand = {
  name: 'platforms',
  aliases: ['gateway'],
  category: 'Info',
  description: 'show the gateway and its chat platforms',
  surface: 'cli',
  whileBusy: true,
  async run({ gateway, ui }) {
    ui.print((await gateway.lines()).join('\n'));
  },
};
