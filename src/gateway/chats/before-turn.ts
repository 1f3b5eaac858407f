/** What happens before a turn of a chat: news of a conversation that began anew, room for the turn, what the words mean. */
import { startDeadline } from '../../lib/deadline.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { resetNote, resetNotice } from '../sessions/reset-words.ts';
import type { ChatDeps } from './chat-deps.ts';
import type { RouteReset } from './chat-routing.ts';
import { type Meant, meantBy } from './meant.ts';
import { Hygiene, type HygieneDeps } from './hygiene.ts';

export interface TurnToBegin {
  readonly event: MessageEvent;
  readonly worker: SessionWorker;
  /** The conversation before was ended by a rule. */
  readonly reset?: RouteReset | undefined;
}

export interface ReadyTurn {
  /** For the agent, before the message. */
  readonly note: string | undefined;
  readonly meant: Meant | undefined;
}

/** Files and pages that a message refers to are read within this time. */
const meantMs = 120_000;

export class BeforeTurn {
  readonly #deps: Pick<ChatDeps, 'place' | 'settings' | 'stopping'>;
  readonly #hygiene: Hygiene;

  constructor(sessionKey: string, deps: HygieneDeps) {
    this.#deps = deps;
    this.#hygiene = new Hygiene(sessionKey, deps);
  }

  /** Throws `UserError` when the message names something that cannot be used. */
  async ready(turn: TurnToBegin): Promise<ReadyTurn> {
    const { event, worker, reset } = turn;
    if (reset === undefined) await this.#hygiene.beforeTurn(event, worker);
    const note = reset === undefined ? undefined : await this.#tellReset(event, reset);
    const { place, stopping } = this.#deps;
    using deadline = startDeadline(meantMs, stopping);
    const meant = await meantBy(event, worker.session, deadline.signal);
    for (const warning of meant?.warnings ?? []) await place.say(event, `⚠️ ${warning}`);
    return { note, meant };
  }

  async #tellReset(event: MessageEvent, { reason, rule, totalTokens }: RouteReset): Promise<string | undefined> {
    const { place, settings } = this.#deps;
    const { platform } = event.source;
    const notice = resetNotice(reason, rule);
    if (notice !== undefined && settings.tellsReset({ platform, totalTokens })) await place.say(event, notice);
    return resetNote(reason, rule);
  }
}
