/** `/verbose`: how much of the tools' work is shown. */
import type { SlashCommand, SurfaceSettings } from '../command.ts';

const modes: readonly SurfaceSettings['toolProgress'][] = ['off', 'new', 'all', 'verbose'];

export const verbose: SlashCommand = {
  name: 'verbose',
  category: 'Configuration',
  description: 'cycle the tool display: off, new, all, verbose',
  surface: 'cli',
  whileBusy: true,
  run({ settings, print }) {
    settings.toolProgress = modes[(modes.indexOf(settings.toolProgress) + 1) % modes.length] ?? 'all';
    print(`Tool progress: ${settings.toolProgress}`);
  },
};
