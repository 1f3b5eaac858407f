/** `/title`: names the conversation. */
import { UserError } from '../../lib/errors.ts';
import type { SlashCommand } from '../command.ts';

export const title: SlashCommand = {
  name: 'title',
  category: 'Session',
  description: 'name this conversation, or show its name',
  argumentHint: '[text]',
  surface: 'both',
  whileBusy: true,
  async run(context, args) {
    const { session, store } = context;
    if (store === undefined) throw new UserError('This conversation is not saved, so it cannot have a title.');
    if (args === '') {
      context.print((await store.getSession(session.id))?.title ?? 'This conversation has no title yet: /title <text>');
      return;
    }
    await store.createSession({ id: session.id, source: 'cli', model: session.agent.route.model });
    const stored = await store.setTitle(session.id, args);
    context.print(stored === null ? 'Title removed.' : `Title: ${stored}`);
  },
};
