/** `/footer`: whether a line under each answer says what made it. */
import { UserError } from '../../lib/errors.ts';
import type { ChatCommand } from './chat-command.ts';

export const footer: ChatCommand = {
  name: 'footer',
  category: 'Configuration',
  description: 'show the model and how full its context is under each answer',
  argumentHint: '[on|off|status]',
  atOnce: false,
  async run({ event: { source }, gateway, saveSettings, print }, args) {
    const word = args.trim().toLowerCase();
    const fields = (): readonly string[] => gateway.display.of(source.platform).runtime_footer;
    if (!['', 'on', 'off', 'status'].includes(word))
      throw new UserError(`/footer does not know '${word}': use on, off or status.`);
    if (word !== 'status') {
      const enabled = word === '' ? fields().length === 0 : word === 'on';
      await saveSettings([{ path: ['display', 'runtime_footer', 'enabled'], value: enabled }]);
    }
    const shown = fields();
    print(shown.length === 0 ? 'Footer: off.' : `Footer: on (${shown.join(', ')}).`);
  },
};
