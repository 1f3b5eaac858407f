/** `/stop`: ends what runs for this chat, and forgets what waits. */
import { counted } from '../../lib/counted.ts';
import type { ChatCommand } from './chat-command.ts';

export const stop: ChatCommand = {
  name: 'stop',
  category: 'Session',
  description: 'end the running turn, what waits, all sub-agents, background tasks and processes',
  atOnce: true,
  async run({ chat, gateway, print }) {
    const stopped = await chat.stop();
    const background = chat.worker?.session.background;
    const ended = background?.agents.endAll() ?? 0;
    const beside = gateway.background.of(chat.sessionKey).endAll();
    const count = (await background?.stop()) ?? 0;
    const agents = ended === 0 ? '' : counted(ended, 'sub-agent');
    const tasks = beside === 0 ? '' : counted(beside, 'background task');
    const processes = count === 0 ? '' : counted(count, 'background process', 'background processes');
    const what = [stopped ? 'the turn' : '', agents, tasks, processes].filter((part) => part !== '').join(' and ');
    print(what === '' ? 'Nothing was running.' : `⏹ Stopped ${what}.`);
  },
};
