/** `/resume`: goes on with an earlier conversation. */
import { UserError } from '../../lib/errors.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { SessionSummary } from '../../sessions/sessions.ts';
import type { CommandContext, SharedCommand } from '../command.ts';
import { pickSession } from './pick-session.ts';
import { sessionDetail, sessionLine } from './list-line.ts';

const offered = 100;
/** Those that a number can name. */
const numberedSessions = 10;

export const resume: SharedCommand = {
  name: 'resume',
  category: 'Session',
  description: 'go on with an earlier conversation; alone, choose one',
  argumentHint: '[number|title|id]',
  complete: async ({ store, session }) => {
    const stored = (await store?.sessions.list({ limit: offered })) ?? [];
    return stored
      .filter(({ id }) => id !== session.id)
      .map((found) => ({ value: found.title ?? found.id, description: sessionDetail(found, Date.now()) }));
  },
  surface: 'both',
  whileBusy: false,
  async run(context, args) {
    if (args === '') await chooseSession(context);
    else await resumeNamed(context, args);
  },
};

/** Goes on with the one that is chosen from a list; where no list can be shown, it is printed with numbers. */
export async function chooseSession(context: CommandContext): Promise<void> {
  const store = storeOf(context);
  if (context.ui.pick !== undefined && !context.worker.busy) {
    const chosen = await pickSession(context, store);
    if (chosen !== undefined) await context.navigation.switchSession({ resume: chosen }, 'resumed_other');
    return;
  }
  const recent = await recentSessions(context, store);
  if (recent.length === 0) return context.ui.print('There is no other conversation yet.');
  const lines = recent.map((session, at) => `${String(at + 1).padStart(2)}. ${sessionLine(session, Date.now())}`);
  context.ui.print([...lines, '', 'Go on with one: /resume <number, title or id>'].join('\n'));
}

/** Goes on with the session of a number in that list, a title or an id. Throws `UserError` for anything else. */
export async function resumeNamed(context: CommandContext, args: string): Promise<void> {
  const store = storeOf(context);
  const named = unquoted(args);
  const found = await store.sessions.resolve(/^\d{1,2}$/.test(named) ? await numberedId(context, named) : named);
  if (found === undefined)
    throw new UserError(`No session found matching '${named}'.`, { hint: '/sessions lists them.' });
  if (found.id === context.session.id) return context.ui.print('That is this conversation.');
  await context.navigation.switchSession({ resume: found }, 'resumed_other');
}

async function numberedId(context: CommandContext, number: string): Promise<string> {
  const recent = await recentSessions(context, storeOf(context));
  const found = recent[Number(number) - 1];
  if (found !== undefined) return found.id;
  throw new UserError(`There is no conversation ${number} in the list of the last ${recent.length}.`, {
    hint: '/sessions lists them.',
  });
}

/** Newest first, without the one that is open. */
async function recentSessions({ session }: CommandContext, store: SessionStore): Promise<readonly SessionSummary[]> {
  const newest = await store.sessions.list({ limit: numberedSessions + 1 });
  return newest.filter(({ id }) => id !== session.id).slice(0, numberedSessions);
}

function storeOf({ store }: CommandContext): SessionStore {
  if (store === undefined) throw new UserError('Conversations are not saved in this run.');
  return store;
}

/** Without the brackets of a usage line, which people copy along. */
function unquoted(text: string): string {
  return (
    /^(?:<(.+)>|\[(.+)\]|"(.+)"|'(.+)')$/
      .exec(text)
      ?.slice(1)
      .find((part) => part !== undefined)
      ?.trim() ?? text
  );
}
