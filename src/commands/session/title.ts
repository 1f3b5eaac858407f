/** `/title`: names the conversation. */
import { UserError } from '../../lib/errors.ts';
import type { CommandContext, SharedCommand } from '../command.ts';

export const title: SharedCommand = {
  name: 'title',
  category: 'Session',
  description: 'name this conversation, or show its name',
  argumentHint: '[text]',
  surface: 'both',
  whileBusy: true,
  async run(context, args) {
    if (args !== '') {
      await storeTitle(context, args);
      return;
    }
    const stored = (await context.session.row())?.title ?? null;
    context.ui.print(stored ?? 'This conversation has no title yet: /title <text>');
  },
};

/** Names the session of the context, also before anything was said in it. Throws `UserError` for a title in use. */
export async function storeTitle({ session, store, source, ui, titled }: CommandContext, text: string): Promise<void> {
  if (store === undefined) throw new UserError('This conversation is not saved, so it cannot have a title.');
  await store.sessions.create({ id: session.id, source, model: session.agent.route.model });
  const stored = await store.sessions.setTitle(session.id, text);
  if (stored !== null) titled?.(session.id, stored);
  ui.print(stored === null ? 'Title removed.' : `Title: ${stored}`);
}
