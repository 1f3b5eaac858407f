/** `/update`: a newer version, installed while the gateway is down between two messages. */
import { UserError } from '../../lib/errors.ts';
import type { ChatCommand } from './chat-command.ts';

export const update: ChatCommand = {
  name: 'update',
  category: 'Info',
  description: 'install a newer version and restart the gateway',
  atOnce: true,
  ofOwner: true,
  async run({ event, gateway, hermes, print }) {
    const { source } = event;
    if (gateway.connection(source.platform)?.platform.allowsUpdate === false) {
      throw new UserError('/update is not for this platform: its plug-in says so.', {
        hint: 'Use it in a chat of another one, or run: hermes update',
      });
    }
    print(await hermes.update(event));
  },
};
