/** `/redraw`: repaints a garbled screen. */
import type { TerminalCommand } from '../command.ts';

export const redraw: TerminalCommand = {
  name: 'redraw',
  category: 'Session',
  description: 'repaint the screen',
  surface: 'cli',
  whileBusy: true,
  run: (context) => context.ui.redraw(),
};
