/** `/busy`: what Enter does while the agent works. */
import { UserError } from '../../lib/errors.ts';
import type { TerminalCommand, SurfaceSettings } from '../command.ts';

const modes: readonly SurfaceSettings['busyMode'][] = ['interrupt', 'queue', 'steer'];

export const busy: TerminalCommand = {
  name: 'busy',
  category: 'Configuration',
  description: 'what Enter does while the agent works',
  argumentHint: '[interrupt|queue|steer|status]',
  values: [...modes, 'status'],
  surface: 'cli',
  whileBusy: true,
  async run({ settings, ui }, args) {
    const mode = modes.find((candidate) => candidate === args.toLowerCase());
    if (mode === undefined && args !== '' && args.toLowerCase() !== 'status') {
      throw new UserError(`'${args}' is not one of: ${modes.join(', ')}`);
    }
    if (mode !== undefined) {
      settings.display.busyMode = mode;
      await settings.save([{ path: ['display', 'busy_input_mode'], value: mode }]);
    }
    ui.print(`While the agent works, Enter will ${describe(settings.display.busyMode)}.`);
  },
};

function describe(mode: SurfaceSettings['busyMode']): string {
  switch (mode) {
    case 'interrupt':
      return 'stop it and send your message (interrupt)';
    case 'queue':
      return 'hold your message for the next turn (queue)';
    case 'steer':
      return 'hand your message to it with the next tool result (steer)';
  }
}
