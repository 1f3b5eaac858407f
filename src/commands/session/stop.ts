/** `/stop`: ends what runs in the background. */
import type { SlashCommand } from '../command.ts';

export const stop: SlashCommand = {
  name: 'stop',
  category: 'Session',
  description: 'end the running turn and all background processes',
  surface: 'both',
  whileBusy: true,
  async run(context) {
    const { session } = context;
    const turn = session.agent.busy;
    if (turn) session.agent.interrupt();
    const count = await session.stopBackground();
    const stopped = [turn ? 'the turn' : '', count > 0 ? `${count} background process${count === 1 ? '' : 'es'}` : ''];
    const what = stopped.filter((part) => part !== '').join(' and ');
    context.print(what === '' ? 'Nothing was running.' : `Stopped ${what}.`);
  },
};
