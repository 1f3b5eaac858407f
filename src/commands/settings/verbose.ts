/** `/verbose`: how much of the tools' work is shown. */
import type { TerminalCommand, SurfaceSettings } from '../command.ts';

const modes: readonly SurfaceSettings['toolProgress'][] = ['off', 'new', 'all', 'verbose'];

export const verbose: TerminalCommand = {
  name: 'verbose',
  category: 'Configuration',
  description: 'cycle the tool display: off, new, all, verbose',
  surface: 'cli',
  whileBusy: true,
  run({ settings, ui }) {
    settings.display.toolProgress = modes[(modes.indexOf(settings.display.toolProgress) + 1) % modes.length] ?? 'all';
    ui.print(`Tool progress: ${settings.display.toolProgress}`);
  },
};
