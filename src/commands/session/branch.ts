/** `/branch`: tries another way without losing this one. */
import { UserError } from '../../lib/errors.ts';
import { newSessionId } from '../../sessions/session-id.ts';
import type { SharedCommand } from '../command.ts';

export const branch: SharedCommand = {
  name: 'branch',
  aliases: ['fork'],
  category: 'Session',
  description: 'copy this conversation into a new one and go on there',
  argumentHint: '[name]',
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    const { store, session } = context;
    if (store === undefined) throw new UserError('This conversation is not saved, so it cannot be branched.');
    const current = await store.sessions.get(session.id);
    if (current === undefined || session.agent.history.length === 0)
      throw new UserError('There is nothing to branch yet.');
    const row = await store.sessions.createChild(session.id, {
      id: newSessionId(),
      messages: session.agent.history,
      parentEndReason: 'branched',
      model: session.agent.route.model,
      ...(current.system_prompt === null ? {} : { systemPrompt: current.system_prompt }),
      ...(args === '' ? {} : { title: args }),
    });
    await context.navigation.switchSession({ resume: row, keepModel: true }, 'branched');
    context.ui.print(`Branched into ${row.id}; the other one is ${current.id}.`);
  },
};
