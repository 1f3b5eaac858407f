/** `/stop`: ends what runs in the background. */
import { counted } from '../../lib/counted.ts';
import type { SharedCommand } from '../command.ts';

export const stop: SharedCommand = {
  name: 'stop',
  category: 'Session',
  description: 'end the running turn, all sub-agents, background tasks and processes',
  surface: 'both',
  whileBusy: true,
  async run({ session, worker, ui, tasks }) {
    const turn = worker.busy;
    worker.interrupt();
    const agents = session.background.agents.endAll();
    const beside = tasks?.endAll() ?? 0;
    const count = await session.background.stop();
    const stopped = [
      turn ? 'the turn' : '',
      agents > 0 ? counted(agents, 'sub-agent') : '',
      beside > 0 ? counted(beside, 'background task') : '',
      count > 0 ? counted(count, 'background process', 'background processes') : '',
    ];
    const what = stopped.filter((part) => part !== '').join(' and ');
    ui.print(what === '' ? 'Nothing was running.' : `Stopped ${what}.`);
  },
};
