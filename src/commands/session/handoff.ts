/** `/handoff`: the conversation goes on in a chat, and ends here. */
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../lib/errors.ts';
import type { Handoffs } from '../../sessions/handoffs.ts';
import type { TerminalCommand } from '../command.ts';

export const handoff: TerminalCommand = {
  name: 'handoff',
  category: 'Session',
  description: 'go on with this conversation in the home chat of a platform',
  argumentHint: '<platform>',
  surface: 'cli',
  whileBusy: false,
  async run({ gateway, navigation, session, store, ui }, args) {
    const platform = args.trim().toLowerCase();
    if (platform === '' || /\s/.test(platform)) throw new UserError('Usage: /handoff <platform>');
    if (session.background.agents.list().length > 0) {
      throw new UserError('Sub-agents still work for this conversation.', { hint: 'See them: /agents' });
    }
    const row = await session.row();
    if (store === undefined || row === undefined) {
      throw new UserError('Nothing is stored of this conversation yet, so there is nothing to hand off.');
    }
    const home = await gateway.home(platform);
    if (!(await store.handoffs.request(session.id, platform))) {
      throw new UserError('This conversation is being handed off already.', { hint: 'Try again in a minute.' });
    }
    ui.print(`This conversation goes to ${home}. Waiting for the gateway; Ctrl+C takes it back.`);
    await ui.stoppable((signal) => taken(store.handoffs, session.id, { signal }));
    ui.print(`It goes on in ${home}. To have it back here: /resume ${row.title ?? session.id}`);
    navigation.putDown();
  },
};

export interface Patience {
  readonly everyMs?: number;
  readonly withinMs?: number;
  /** Nobody waits any more. */
  readonly signal: AbortSignal;
}

/** Resolves when the gateway has it. Throws `UserError` when it has not: then the conversation is as it was. */
export async function taken(
  handoffs: Pick<Handoffs, 'get' | 'fail'>,
  sessionId: string,
  { everyMs = 500, withinMs = 60_000, signal }: Patience,
): Promise<void> {
  const refused = (why: string): UserError =>
    new UserError(`The conversation was not handed off: ${why}.`, { hint: 'It goes on here as before.' });
  for (let waited = 0; waited < withinMs && !signal.aborted; waited += everyMs) {
    const { state, error = 'the gateway does not say why' } = (await handoffs.get(sessionId)) ?? {};
    if (state === 'completed') return;
    if (state !== 'pending' && state !== 'running') throw refused(error.replace(/\.$/, ''));
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
  const why = signal.aborted ? 'you took it back' : 'the gateway did not take it in time';
  if (await handoffs.fail(sessionId, why)) throw refused(why);
  // It was done at the last moment.
  if ((await handoffs.get(sessionId))?.state !== 'completed') throw refused(why);
}
