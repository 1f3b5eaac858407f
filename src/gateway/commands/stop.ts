/** `/stop`: ends what runs for this chat, and forgets what waits. */
import type { ChatCommand } from './chat-command.ts';

export const stop: ChatCommand = {
  name: 'stop',
  description: 'end the running turn, what waits, and all background processes',
  atOnce: true,
  async run({ chat, print }) {
    const stopped = await chat.stop();
    const count = (await chat.worker?.session.background.stop()) ?? 0;
    const processes = count === 0 ? '' : `${count} background process${count === 1 ? '' : 'es'}`;
    const what = [stopped ? 'the turn' : '', processes].filter((part) => part !== '').join(' and ');
    print(what === '' ? 'Nothing was running.' : `⏹ Stopped ${what}.`);
  },
};
