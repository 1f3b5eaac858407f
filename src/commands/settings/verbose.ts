/** `/verbose`: how much of the tools' work is shown. */
import { oneOf } from '../arguments.ts';
import type { TerminalCommand, SurfaceSettings } from '../command.ts';

const modes: readonly SurfaceSettings['toolProgress'][] = ['off', 'new', 'all', 'verbose'];

export const verbose: TerminalCommand = {
  name: 'verbose',
  category: 'Configuration',
  description: 'cycle the tool display, or choose how much of it is shown',
  argumentHint: '[off|new|all|verbose]',
  values: modes,
  surface: 'cli',
  whileBusy: true,
  run({ settings, ui }, args) {
    const next = modes[(modes.indexOf(settings.display.toolProgress) + 1) % modes.length] ?? 'all';
    settings.display.toolProgress = oneOf('verbose', args, modes) ?? next;
    ui.print(`Tool progress: ${settings.display.toolProgress}`);
  },
};
