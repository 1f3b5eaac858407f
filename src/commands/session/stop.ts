/** `/stop`: ends what runs in the background. */
import { counted } from '../../lib/counted.ts';
import type { SharedCommand } from '../command.ts';

export const stop: SharedCommand = {
  name: 'stop',
  category: 'Session',
  description: 'end the running turn, all sub-agents and all background processes',
  surface: 'both',
  whileBusy: true,
  async run({ session, worker, ui }) {
    const turn = worker.busy;
    worker.interrupt();
    const agents = session.background.agents.endAll();
    const count = await session.background.stop();
    const stopped = [
      turn ? 'the turn' : '',
      agents > 0 ? counted(agents, 'sub-agent') : '',
      count > 0 ? counted(count, 'background process', 'background processes') : '',
    ];
    const what = stopped.filter((part) => part !== '').join(' and ');
    ui.print(what === '' ? 'Nothing was running.' : `Stopped ${what}.`);
  },
};
