/** What happens before a turn of a chat: what is told of a conversation that began anew, and room for the turn. */
import type { SessionWorker } from '../../worker/session-worker.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import { resetNote, resetNotice } from '../sessions/reset-words.ts';
import type { ChatDeps } from './chat-deps.ts';
import type { RouteReset } from './chat-routing.ts';
import { Hygiene, type HygieneDeps } from './hygiene.ts';

export interface TurnToBegin {
  readonly event: MessageEvent;
  readonly worker: SessionWorker;
  /** The conversation before was ended by a rule. */
  readonly reset?: RouteReset | undefined;
}

export class BeforeTurn {
  readonly #deps: Pick<ChatDeps, 'place' | 'settings'>;
  readonly #hygiene: Hygiene;

  constructor(sessionKey: string, deps: HygieneDeps) {
    this.#deps = deps;
    this.#hygiene = new Hygiene(sessionKey, deps);
  }

  /** Returns the note for the agent, if there is one. */
  async ready({ event, worker, reset }: TurnToBegin): Promise<string | undefined> {
    if (reset === undefined) {
      await this.#hygiene.beforeTurn(event, worker);
      return undefined;
    }
    const { place, settings } = this.#deps;
    const { platform } = event.source;
    const { reason, rule, totalTokens } = reset;
    const notice = resetNotice(reason, rule);
    if (notice !== undefined && settings.tellsReset({ platform, totalTokens })) await place.say(event, notice);
    return resetNote(reason, rule);
  }
}
