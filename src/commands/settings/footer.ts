/** `/footer`: whether a line under answers in chats says what made them. */
import { UserError } from '../../lib/errors.ts';
import type { TerminalCommand } from '../command.ts';

export const footer: TerminalCommand = {
  name: 'footer',
  category: 'Configuration',
  description: 'show the model and how full its context is under answers in chats',
  argumentHint: '[on|off|status]',
  values: ['on', 'off', 'status'],
  surface: 'cli',
  whileBusy: true,
  async run({ gateway, settings, ui }, args) {
    const word = args.toLowerCase();
    if (!['', 'on', 'off', 'status'].includes(word)) throw new UserError(`'${args}' is not one of: on, off, status`);
    if (word !== 'status') {
      const enabled = word === '' ? (await gateway.footer()).length === 0 : word === 'on';
      await settings.save([{ path: ['display', 'runtime_footer', 'enabled'], value: enabled }]);
    }
    const shown = await gateway.footer();
    ui.print(shown.length === 0 ? 'Footer in chats: off.' : `Footer in chats: on (${shown.join(', ')}).`);
    if (word !== 'status') ui.print('A gateway that runs takes it up with its next start, or with /footer in a chat.');
  },
};
