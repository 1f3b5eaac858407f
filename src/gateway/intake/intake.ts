/** Lets messages in: each is written down before its platform is told that it arrived. */
import type { Log } from '../../lib/log.ts';
import { type ChatInbox, InboxFull } from '../../sessions/chat-inbox.ts';
import type { OpenChat } from '../chats/chat-deps.ts';
import type { Chats } from '../chats/chats.ts';
import { isCommand } from '../chats/gather.ts';
import type { PromptDesk } from '../chats/prompt-desk.ts';
import type { Acceptance } from '../platform/adapter-host.ts';
import type { MessageEvent } from '../platform/message-event.ts';
import type { SessionSource } from '../platform/session-source.ts';
import type { Authorization } from './authorization.ts';

export interface IntakeOptions {
  readonly inbox: ChatInbox;
  readonly chats: Chats;
  readonly desk: PromptDesk;
  readonly authorization: Authorization;
  readonly clock: { now(): number };
  readonly log: Log;
  sessionKey(source: SessionSource): string;
  /** Runs a command that does not wait for the running turn; false: it waits like any message. */
  immediate(chat: OpenChat, event: MessageEvent): Promise<boolean>;
  /** Why nothing is taken now (`draining`, a full disk), if so. */
  closed(): string | undefined;
  say(event: MessageEvent, text: string): Promise<void>;
}

/** What a person writes in one message; more comes from files. */
const maxTextChars = 1_000_000;

export class Intake {
  readonly #options: IntakeOptions;
  /** Messages that are written down and not yet handed on. */
  readonly #starting = new Set<Promise<void>>();

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Rejects when it could not be written down; the platform is then to deliver it again. */
  async accept(received: MessageEvent): Promise<Acceptance> {
    const event = wellFormed(received);
    const { authorization, inbox, clock } = this.#options;
    const admission = await authorization.admit(event);
    if (admission.as === 'stranger') {
      if (admission.reply === undefined) return 'ignored';
      return this.#refuse(event, admission.reply);
    }
    const closed = this.#options.closed();
    if (closed !== undefined) return this.#refuse(event, closed);
    if (event.text.length > maxTextChars) return this.#refuse(event, 'That message is too long for me.');
    const sessionKey = this.#options.sessionKey(event.source);
    const { source, event_id: eventId } = event;
    try {
      const accepted = await inbox.accept({
        platform: source.platform,
        eventId,
        sessionKey,
        event: JSON.stringify(event),
        receivedAt: clock.now(),
      });
      if (accepted === 'duplicate') return 'duplicate';
    } catch (error) {
      // A full queue is something to tell; a store that cannot be written is something to try again.
      if (error instanceof InboxFull) return this.#refuse(event, error.message);
      throw error;
    }
    const started = this.#start(sessionKey, event).finally(() => this.#starting.delete(started));
    this.#starting.add(started);
    return 'accepted';
  }

  /** Resolves when what was accepted is with its chat, commands that run at once included, or the signal aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (this.#starting.size > 0 && !signal.aborted) await Promise.race([Promise.all(this.#starting), stopped]);
  }

  async #start(sessionKey: string, event: MessageEvent): Promise<void> {
    const { chats, desk, log } = this.#options;
    const chat = chats.get(sessionKey);
    try {
      if (desk.answer(sessionKey, event.source, event.text)) return await chat.handled(event);
      if (isCommand(event) && (await this.#options.immediate(chat, event))) return await chat.handled(event);
    } catch (error) {
      log.warning('a message could not be handled at once; it waits for its turn', error);
    }
    chat.arrived(event);
  }

  /** Not waited for: a platform that is slow to take the notice must not hold up what arrives. */
  #refuse(event: MessageEvent, why: string): Acceptance {
    this.#options.say(event, why).catch((error: unknown) => this.#options.log.warning('a refusal was not told', error));
    return 'refused';
  }
}

/** Lone surrogates are no text; neither the store nor a model takes them. */
function wellFormed(event: MessageEvent): MessageEvent {
  return { ...event, text: event.text.toWellFormed() };
}
