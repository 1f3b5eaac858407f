/** `/deny`: says no to what waits for an approval; while something does it is heard before it comes here. */
import type { ChatCommand } from './chat-command.ts';

export const deny: ChatCommand = {
  name: 'deny',
  category: 'Session',
  description: 'refuse what waits for an approval',
  argumentHint: '[all] [reason]',
  atOnce: true,
  run({ print }) {
    print('Nothing waits for an approval here, or it is not yours to refuse.');
  },
};
