/** Shortens a history that has grown too long before the next turn begins: a chat may go on for years. */
import { TokenEstimate } from '../../agent/context/estimate.ts';
import type { Compaction } from '../../agent/context/engine.ts';
import { errorMessage } from '../../lib/errors.ts';
import type { SessionWorker } from '../../worker/session-worker.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { ChatDeps } from './chat-deps.ts';

/** Shares of the model's context. */
const tooLong = 0.85;
const nearlyFull = 0.95;
const fewestMessages = 4;
const hygieneMs = 180_000;
/** What could not be shortened is tried again when it has grown by so many messages. */
const growth = 20;
const fullText =
  '⚠️ This conversation nearly fills what the model can read. /compress shortens it, /reset begins a new one.';

export type HygieneDeps = Pick<ChatDeps, 'place' | 'settings' | 'stopping' | 'log' | 'routing'>;

export class Hygiene {
  readonly #sessionKey: string;
  readonly #deps: HygieneDeps;
  /** That it was tried in vain, and how long the history was then. */
  #inVain: { readonly sessionId: string; readonly messages: number } | undefined;

  constructor(sessionKey: string, deps: HygieneDeps) {
    this.#sessionKey = sessionKey;
    this.#deps = deps;
  }

  /** The message that waits gets its turn whatever happens here. */
  async beforeTurn(event: MessageEvent, worker: SessionWorker): Promise<void> {
    const { place, settings, stopping } = this.#deps;
    const { session } = worker;
    const messages = session.agent.history.length;
    if (!settings.hygiene.enabled || messages < fewestMessages) return;
    const tokens = await this.#tokens(worker);
    const share = shareOf(tokens, worker);
    if (share < tooLong && messages < settings.hygiene.mostMessages) return;
    const { sessionId, messages: then = 0 } = this.#inVain ?? {};
    if (sessionId === session.id && messages < then + growth) return;
    await place.say(
      event,
      `🗜️ This conversation is long (${messages} messages, ~${rounded(tokens)} tokens). I shorten it first…`,
    );
    const done = await this.#shorten(worker);
    if (stopping.aborted) return;
    this.#inVain = done === undefined ? { sessionId: session.id, messages } : undefined;
    await place.say(event, outcomeOf(done));
    if ((done === undefined ? share : shareOf(done.tokensAfter, worker)) >= nearlyFull)
      await place.say(event, fullText);
  }

  /** As the provider counted the last request, in this process or in an earlier one; an estimate where none did. */
  async #tokens({ session: { agent } }: SessionWorker): Promise<number> {
    const counted = agent.tokens.last_prompt_tokens;
    if (counted > 0) return counted;
    const stored = (await this.#deps.routing.get(this.#sessionKey))?.last_prompt_tokens ?? 0;
    return stored > 0 ? stored : new TokenEstimate().history(agent.history);
  }

  async #shorten(worker: SessionWorker): Promise<Compaction | undefined> {
    const { stopping, routing, log } = this.#deps;
    try {
      const { compaction } = await worker.compress({}, AbortSignal.any([stopping, AbortSignal.timeout(hygieneMs)]));
      if (compaction !== undefined) await routing.change(this.#sessionKey, { last_prompt_tokens: 0 });
      return compaction;
    } catch (error) {
      log.warning(`a long conversation was not shortened: ${errorMessage(error)}`, error);
      return undefined;
    }
  }
}

function shareOf(tokens: number, { session: { agent } }: SessionWorker): number {
  return tokens / (agent.route.contextLength ?? Number.POSITIVE_INFINITY);
}

function outcomeOf(done: Compaction | undefined): string {
  if (done === undefined) return '🗜️ It could not be shortened; I go on as it is.';
  const { messagesBefore, messagesAfter, tokensBefore, tokensAfter } = done;
  return `🗜️ Shortened: ${messagesBefore} → ${messagesAfter} messages, ~${rounded(tokensBefore)} → ~${rounded(tokensAfter)} tokens.`;
}

function rounded(tokens: number): string {
  return tokens < 1000 ? `${Math.round(tokens)}` : `${Math.round(tokens / 1000)}k`;
}
