/** `/approve`: answers a question whether something may run; while one waits it is heard before it comes here. */
import type { ChatCommand } from './chat-command.ts';

export const approve: ChatCommand = {
  name: 'approve',
  category: 'Session',
  description: 'allow what waits for an approval',
  argumentHint: '[all] [session|always]',
  atOnce: true,
  run({ print }) {
    print('Nothing waits for an approval here, or it is not yours to give.');
  },
};
