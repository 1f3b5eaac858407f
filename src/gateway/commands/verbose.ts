/** `/verbose` in a chat: how much of the tools' work is shown, on this platform and for good. */
import { oneOf } from '../../commands/arguments.ts';
import type { ToolProgress } from '../display/display-settings.ts';
import type { ChatCommand } from './chat-command.ts';

const modes: readonly ToolProgress[] = ['off', 'new', 'all', 'verbose', 'log'];

export const verbose: ChatCommand = {
  name: 'verbose',
  category: 'Configuration',
  description: 'cycle how much of the tool display is shown here, or choose it',
  argumentHint: '[off|new|all|verbose|log]',
  atOnce: false,
  isOffered: ({ config }) => config.display.tool_progress_command,
  async run({ event: { source }, gateway, saveSettings, print }, args) {
    const shown = gateway.display.of(source.platform).tool_progress;
    const mode = oneOf('verbose', args, modes) ?? modes[(modes.indexOf(shown) + 1) % modes.length] ?? 'all';
    // The platform's own setting comes before the general one, so nothing else would hold here for certain.
    await saveSettings([{ path: ['display', 'platforms', source.platform, 'tool_progress'], value: mode }]);
    print(`Tool progress: ${mode} (kept for ${source.platform}).`);
  },
};
