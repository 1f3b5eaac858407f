/** `/save`: a snapshot of the conversation as a file. */
import type { SlashCommand } from '../command.ts';

export const save: SlashCommand = {
  name: 'save',
  category: 'Session',
  description: 'write this conversation to a JSON file',
  surface: 'cli',
  whileBusy: true,
  async run(context) {
    const { session, about } = context;
    if (session.agent.history.length === 0) {
      context.print('There is nothing to save yet.');
      return;
    }
    const stamp = new Date()
      .toISOString()
      .replace(/[-:]|\.\d+Z/g, '')
      .replace('T', '_');
    const snapshot = {
      session_id: session.id,
      model: session.agent.route.model,
      session_start: new Date(about.startedAt).toISOString(),
      messages: session.agent.history,
    };
    const path = await context.saveFile(
      `sessions/saved/conversation_${stamp}.json`,
      `${JSON.stringify(snapshot, null, 2)}\n`,
    );
    context.print(`Saved to ${path}`);
  },
};
