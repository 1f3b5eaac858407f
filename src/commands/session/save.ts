/** `/save`: a snapshot of the conversation as a file. */
import { formatTime } from '../../lib/format-time.ts';
import type { TerminalCommand } from '../command.ts';

export const save: TerminalCommand = {
  name: 'save',
  category: 'Session',
  description: 'write this conversation to a JSON file',
  surface: 'cli',
  whileBusy: true,
  async run(context) {
    const { session, about } = context;
    if (session.agent.history.length === 0) {
      context.ui.print('There is nothing to save yet.');
      return;
    }
    const stamp = formatTime('%Y%m%d_%H%M%S', new Date());
    // A resumed conversation began before this program did.
    const started = (await session.row())?.started_at;
    const snapshot = {
      model: session.agent.route.model,
      session_id: session.id,
      session_start: new Date(started === undefined ? about.startedAt : started * 1000).toISOString(),
      messages: session.agent.history,
    };
    const path = await context.ui.saveFile(
      `sessions/saved/hermes_conversation_${stamp}.json`,
      `${JSON.stringify(snapshot, null, 2)}\n`,
    );
    context.ui.print(`Saved to ${path}`);
  },
};
