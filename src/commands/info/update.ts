/** `/update`: whether there is a newer version, and how to get it. */
import type { TerminalCommand } from '../command.ts';

export const update: TerminalCommand = {
  name: 'update',
  category: 'Info',
  description: 'look for a newer version',
  surface: 'cli',
  whileBusy: true,
  async run({ ui }) {
    ui.print(await ui.runProgram(['update', '--check']));
    // A program cannot be replaced under a running conversation.
    ui.print('To install it, leave with /quit and run: hermes update');
  },
};
