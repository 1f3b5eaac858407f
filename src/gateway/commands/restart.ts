/** `/restart`: the gateway ends what it does and is started again by whatever watches it. */
import type { ChatCommand } from './chat-command.ts';

export const restart: ChatCommand = {
  name: 'restart',
  category: 'Session',
  description: 'restart the gateway',
  atOnce: true,
  run({ event, restart: again, print }) {
    print(
      again(event)
        ? '♻️ Restarting as soon as the running turns are done; I say so here when I am back.'
        : 'Nothing would start me again: run the gateway as a service (hermes gateway install), or restart it by hand.',
    );
  },
};
