/** Takes conversations that a terminal hands off, and goes on with them in a chat. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { NewChatMessage } from '../../sessions/chat-inbox.ts';
import type { Handoff } from '../../sessions/handoffs.ts';
import type { SessionRow } from '../../sessions/sessions.ts';
import type { SessionStore } from '../../sessions/session-store.ts';
import type { ChatRouting } from '../chats/chat-routing.ts';
import type { Chats } from '../chats/chats.ts';
import type { PlatformConnection } from '../connections/platform-connection.ts';
import { eventAt } from '../platform/own-event.ts';
import type { SessionSource } from '../platform/session-source.ts';
import { destinationOf, type DestinationOptions } from './destination.ts';

export interface HandoffsOptions {
  readonly store: Pick<SessionStore, 'handoffs' | 'sessions' | 'leases'>;
  readonly routing: ChatRouting;
  readonly chats: Pick<Chats, 'get' | 'putDown'>;
  readonly perUser: DestinationOptions['perUser'];
  readonly log: Log;
  keyOf(source: SessionSource): string;
  /** One of its own: whose home chat is this profile's. */
  connection(platform: string): PlatformConnection | undefined;
  /** Default two seconds. */
  readonly lookMs?: number;
}

const usualLookMs = 2000;
/** Who handed it off waits 60 seconds. */
const takenWithinMs = 45_000;
/** How long the terminal has for letting go of what it handed off. */
const letGoMs = 10_000;
const letGoLookMs = 200;
const leaseMs = 5000;
const diedText = 'the gateway was stopped before it was done';

export class Handoffs {
  readonly #options: HandoffsOptions;

  constructor(options: HandoffsOptions) {
    this.#options = options;
  }

  /** Until the signal aborts; resolves when the one in hand has ended. */
  async keep(signal: AbortSignal): Promise<void> {
    const { store, log, lookMs = usualLookMs } = this.#options;
    await store.handoffs
      .failRunning(diedText)
      .catch((error: unknown) => log.warning('what an earlier gateway left was not ended', error));
    while (!signal.aborted) {
      try {
        for (const handoff of await store.handoffs.pending()) if (!signal.aborted) await this.#take(handoff, signal);
      } catch (error) {
        log.warning(`what is handed off could not be read: ${errorMessage(error)}`, error);
      }
      // Who waits lives by the true time.
      await sleep(lookMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #take(handoff: Handoff, stopping: AbortSignal): Promise<void> {
    const { store, log } = this.#options;
    const { sessionId, platform } = handoff;
    if (!(await store.handoffs.claim(sessionId))) return;
    try {
      await this.#bring(handoff, AbortSignal.any([stopping, AbortSignal.timeout(takenWithinMs)]));
    } catch (error) {
      log.warning(`the conversation ${sessionId} was not handed off to ${platform}: ${errorMessage(error)}`, error);
      await store.handoffs.fail(sessionId, errorMessage(error));
    }
  }

  /** Throws while everything is as it was before. */
  async #bring({ sessionId, platform: written }: Handoff, signal: AbortSignal): Promise<void> {
    const { store, routing, chats, perUser, log } = this.#options;
    const platform = written.trim().toLowerCase();
    const connection = this.#options.connection(platform);
    if (connection === undefined) throw new UserError(`This gateway has no platform '${platform.slice(0, 60)}'.`);
    const row = await store.sessions.get(sessionId);
    if (row === undefined) throw new UserError('The conversation is not stored any more.');
    const options = { connection, perUser, log, routes: () => routing.each() };
    const source = await destinationOf(titleOf(row), options, signal);
    const key = this.#options.keyOf(source);
    if (!(await chats.putDown(key, signal))) {
      throw new UserError(`The home chat of ${connection.platform.label} is at work; try again when it is done.`);
    }
    const message = greetingFor(row, source, key);
    const isTaken = await routing.bind(key, { source, sessionId }, async (route, before) =>
      store.handoffs.complete(sessionId, { route, before: before?.session_id, message }),
    );
    if (!isTaken) return log.info(`nobody waits any more for the conversation ${sessionId} to be handed off`);
    log.info(`the conversation ${sessionId} goes on in ${platform}, chat ${source.chat_id}`);
    // From here on nothing is taken back: after a sudden end the next gateway finds the message in the inbox.
    await this.#letGo(sessionId, platform, signal).catch((error: unknown) =>
      log.warning(`whether the terminal has closed ${sessionId} was not found out: ${errorMessage(error)}`, error),
    );
    chats.get(key).arrived(undefined);
  }

  /** Resolves when the terminal has closed it, or takes too long: then the turn waits for it. */
  async #letGo(sessionId: string, by: string, signal: AbortSignal): Promise<void> {
    const { leases } = this.#options.store;
    for (let waited = 0; waited < letGoMs && !signal.aborted; waited += letGoLookMs) {
      const lease = await leases.take(sessionId, by, { ttlMs: leaseMs });
      if (lease.granted) return await leases.release(sessionId, lease.fence);
      await sleep(letGoLookMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** By it the agent says in the chat that it is there, and what it was about. */
function greetingFor(row: SessionRow, source: SessionSource, sessionKey: string): NewChatMessage {
  const { platform } = source;
  const at = Date.now();
  const own = eventAt(platform, source.chat_id, source.thread_id);
  const event = { ...own, source, event_id: `handoff.${randomUUID()}`, text: greeting(row), timestamp: at };
  return { platform, eventId: event.event_id, sessionKey, event: JSON.stringify(event), receivedAt: at };
}

function titleOf({ title, id }: SessionRow): string {
  return title ?? id;
}

function greeting(row: SessionRow): string {
  return [
    `[The person has moved this conversation (${JSON.stringify(titleOf(row))}) from a terminal to this chat.`,
    'All that was said before stands above. Tell them in two or three sentences that you are here and what you were',
    'working on together, so that they can go on from here; begin nothing new.]',
  ].join(' ');
}
