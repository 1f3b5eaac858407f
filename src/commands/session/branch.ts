/** `/branch`: tries another way without losing this one. */
import { UserError } from '../../lib/errors.ts';
import { newSessionId } from '../../sessions/session-id.ts';
import type { SlashCommand } from '../command.ts';

export const branch: SlashCommand = {
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
    const current = await store.getSession(session.id);
    if (current === undefined) throw new UserError('There is nothing to branch yet.');
    const id = newSessionId();
    await store.createSession({
      id,
      source: current.source,
      parentSessionId: session.id,
      ...(current.model === null ? {} : { model: current.model }),
      ...(current.system_prompt === null ? {} : { systemPrompt: current.system_prompt }),
    });
    await store.rewriteTranscript(id, session.agent.history);
    const name = args === '' && current.title !== null ? await store.nextTitle(current.title) : args;
    if (name !== '') await store.setTitle(id, name);
    const row = await store.getSession(id);
    if (row === undefined) throw new UserError('The branch could not be stored.');
    await context.switchSession({ resume: row }, 'branched');
    context.print(`Branched into ${id}; the other one is ${current.id}.`);
  },
};
