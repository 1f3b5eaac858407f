/** `/whoami`: as whom the agent sees the person, and what they may do. */
import type { TerminalCommand } from '../command.ts';

export const whoami: TerminalCommand = {
  name: 'whoami',
  category: 'Info',
  description: 'show who you are here and what you may do',
  surface: 'cli',
  whileBusy: true,
  run: ({ about, ui }) =>
    ui.print(`The terminal of this machine, profile ${about.profile}.\nTier: unrestricted; every command may be used.`),
};
