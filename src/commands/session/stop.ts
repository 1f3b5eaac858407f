/** `/stop`: ends what runs in the background. */
import type { SharedCommand } from '../command.ts';

export const stop: SharedCommand = {
  name: 'stop',
  category: 'Session',
  description: 'end the running turn and all background processes',
  surface: 'both',
  whileBusy: true,
  async run({ session, worker, ui }) {
    const turn = worker.busy;
    worker.interrupt();
    const count = await session.background.stop();
    const stopped = [turn ? 'the turn' : '', count > 0 ? `${count} background process${count === 1 ? '' : 'es'}` : ''];
    const what = stopped.filter((part) => part !== '').join(' and ');
    ui.print(what === '' ? 'Nothing was running.' : `Stopped ${what}.`);
  },
};
