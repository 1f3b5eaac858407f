/** `/redraw`: repaints a garbled screen. */
import type { SlashCommand } from '../command.ts';

export const redraw: SlashCommand = {
  name: 'redraw',
  category: 'Session',
  description: 'repaint the screen',
  surface: 'cli',
  whileBusy: true,
  run: (context) => context.redraw(),
};
