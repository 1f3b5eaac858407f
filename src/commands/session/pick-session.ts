/** Lets the user choose one of the stored conversations, and rename or delete others on the way. */
import { counted } from '../../lib/counted.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { SessionRow, SessionSummary } from '../../sessions/sessions.ts';
import type { CommandContext } from '../command.ts';
import type { PickList } from '../pick.ts';
import { ago } from './list-line.ts';

const offered = 200;

/** Undefined when none was chosen, or the one that is open already. */
export async function pickSession(context: CommandContext, store: SessionStore): Promise<SessionRow | undefined> {
  const { ui, session } = context;
  let current = session.id;
  let title = 'Conversations';
  for (;;) {
    const stored = await store.sessions.list({ limit: offered });
    if (stored.length === 0) {
      ui.print('No sessions found.');
      return undefined;
    }
    const picked = await ui.pick?.(listOf(stored, { title, current, open: session.id }));
    const chosen = stored.find(({ id }) => id === picked?.value);
    if (picked === undefined || chosen === undefined) return undefined;
    current = chosen.id;
    if (picked.action === undefined) {
      return chosen.id === session.id ? undefined : await store.sessions.resolve(chosen.id);
    }
    title = picked.action === 'rename' ? await rename(context, store, chosen) : await erase(context, store, chosen);
  }
}

function listOf(
  stored: readonly SessionSummary[],
  { title, current, open }: { readonly title: string; readonly current: string; readonly open: string },
): PickList {
  const now = Date.now() / 1000;
  return {
    title,
    current,
    actions: [
      { key: 'r', name: 'rename' },
      { key: 'x', name: 'delete' },
    ],
    rows: stored.map((row) => {
      const { id, cwd, message_count: messages } = row;
      const parts = [ago(now - row.last_active), counted(messages, 'message')];
      const folder = cwd === null ? [] : [cwd];
      const isOpen = id === open ? ['this one'] : [];
      return { value: id, label: nameOf(row), description: [...isOpen, ...parts, ...folder].join(' · ') };
    }),
  };
}

/** What came of it, as the title of the list that opens again. */
async function rename({ ui }: CommandContext, store: SessionStore, chosen: SessionSummary): Promise<string> {
  const text = await ui.ask?.(`A new name for “${nameOf(chosen)}”:`);
  if (text === undefined) return 'Conversations';
  try {
    return `Renamed to “${(await store.sessions.setTitle(chosen.id, text)) ?? ''}”`;
  } catch (error) {
    if (error instanceof UserError) return errorMessage(error);
    throw error;
  }
}

async function erase({ ui, session }: CommandContext, store: SessionStore, chosen: SessionSummary): Promise<string> {
  if (chosen.id === session.id) return 'The conversation that is open is deleted with /quit --delete';
  const answer = await ui.pick?.({
    title: `Delete “${nameOf(chosen)}” and its ${counted(chosen.message_count, 'message')} for good?`,
    rows: [
      { value: 'keep', label: 'no, keep it' },
      { value: 'delete', label: 'yes, delete it' },
    ],
  });
  if (answer?.value !== 'delete') return 'Conversations';
  return (await store.maintenance.deleteSession(chosen.id)) ? `Deleted “${nameOf(chosen)}”` : 'It was gone already';
}

function nameOf({ title, preview }: SessionSummary): string {
  return title ?? (preview === '' ? '(empty)' : preview);
}
