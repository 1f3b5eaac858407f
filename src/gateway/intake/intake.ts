/** Lets messages in: each is written down before its platform is told that it arrived. */
import type { Hooks } from '../../agent/hooks.ts';
import { UserError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { type ChatInbox, type ChatMessage, InboxFull } from '../../sessions/chat-inbox.ts';
import type { OpenChat } from '../chats/chat-deps.ts';
import type { Chat } from '../chats/chat.ts';
import type { Chats } from '../chats/chats.ts';
import { isCommand, readWaiting } from '../chats/gather.ts';
import type { Claim, PromptDesk } from '../chats/prompt-desk.ts';
import type { Acceptance } from '../platform/adapter-host.ts';
import { messageEvent, type MessageEvent } from '../platform/message-event.ts';
import type { SessionSource } from '../platform/session-source.ts';
import type { Authorization } from './authorization.ts';
import { askDispatchHooks } from './dispatch-hooks.ts';

export interface IntakeOptions {
  readonly inbox: ChatInbox;
  readonly chats: Chats;
  readonly desk: PromptDesk;
  readonly authorization: Authorization;
  readonly clock: { now(): number };
  readonly log: Log;
  readonly hooks: Hooks;
  sessionKey(source: SessionSource): string;
  /** Runs a command that does not wait for the running turn; false: it waits like any message. */
  immediate(chat: OpenChat, event: MessageEvent): Promise<boolean>;
  /** Why nothing can be taken now (a full disk), if so: it stays with its platform until it can. */
  closed(): string | undefined;
  /** Why what is taken now is answered later, if so. */
  later(): string | undefined;
  /** Why this chat gets no turn now, if so; commands are let in. `entering`: chats whose message is on its way in. */
  noTurn(sessionKey: string, entering: ReadonlySet<string>): string | undefined;
  say(event: MessageEvent, text: string): Promise<void>;
  /** Says it for certain. */
  refuse(event: MessageEvent, text: string): Promise<void>;
  /** Ends a message that an earlier process let in, and says why for certain. */
  endLate(row: ChatMessage, event: MessageEvent, text: string): Promise<void>;
}

/** What a person writes in one message; more comes from files. */
const maxTextChars = 1_000_000;
const tellEveryMs = 600_000;
const maxTold = 1000;
/** Rows that are read at once. */
const pageSize = 1000;

export class Intake {
  readonly #options: IntakeOptions;
  /** Messages that are written down and not yet handed on. */
  readonly #starting = new Set<Promise<void>>();
  /** When chats were told last why their messages wait. */
  readonly #told = new Map<string, number>();
  /** Their chats, from before they are written down. */
  readonly #entering = new Set<string>();

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Rejects when it could not be written down; the platform is then to deliver it again. */
  async accept(received: MessageEvent): Promise<Acceptance> {
    const { authorization, hooks, log } = this.#options;
    const event = await askDispatchHooks(wellFormed(received), hooks, log);
    if (event === undefined) return 'ignored';
    const admission = await authorization.admit(event);
    if (admission.as === 'stranger') {
      if (admission.reply === undefined) return 'ignored';
      return this.#answerStranger(event, admission.reply);
    }
    const closed = this.#options.closed();
    if (closed !== undefined) {
      this.#tell(event, closed);
      throw new UserError(closed);
    }
    if (event.text.length > maxTextChars) return await this.#refuse(event, 'That message is too long for me.');
    const sessionKey = this.#options.sessionKey(event.source);
    const wantsTurn = !isCommand(event) && event.observed !== true;
    const noTurn = wantsTurn ? this.#options.noTurn(sessionKey, this.#entering) : undefined;
    if (noTurn !== undefined) {
      // What was taken before must not be asked for again.
      if (await this.#options.inbox.isKnown(event.source.platform, event.event_id)) return 'duplicate';
      return await this.#refuse(event, noTurn);
    }
    this.#entering.add(sessionKey);
    try {
      return await this.#writeDown(sessionKey, event);
    } finally {
      this.#entering.delete(sessionKey);
    }
  }

  async #writeDown(sessionKey: string, event: MessageEvent): Promise<Acceptance> {
    const { inbox, clock } = this.#options;
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
      if (error instanceof InboxFull) return await this.#refuse(event, error.message);
      throw error;
    }
    const started = this.#start(sessionKey, event).finally(() => this.#starting.delete(started));
    this.#starting.add(started);
    const later = this.#options.later();
    if (later !== undefined && !isCommand(event)) this.#tell(event, later);
    return 'accepted';
  }

  /** Resolves when what was accepted is with its chat, commands that run at once included, or the signal aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (this.#starting.size > 0 && !signal.aborted) await Promise.race([Promise.all(this.#starting), stopped]);
  }

  async #start(sessionKey: string, event: MessageEvent): Promise<void> {
    const { chats, log } = this.#options;
    const chat = chats.get(sessionKey);
    try {
      const claim = this.#claimOf(sessionKey, event);
      if (claim !== undefined) return await this.#claimed(chat, event, claim);
      if (isCommand(event) && (await this.#options.immediate(chat, event))) return await this.#handled(chat, event);
    } catch (error) {
      if (chat.hasTaken(event)) return await this.#handled(chat, event, error);
      log.warning('a message could not be handled at once; it waits for its turn', error);
    }
    chat.arrived(event);
  }

  /** What ran must not run again from the queue, whatever becomes of its row. */
  async #handled(chat: Chat, event: MessageEvent, error?: unknown): Promise<void> {
    try {
      await chat.handled(event, error);
    } catch (trouble) {
      this.#options.log.warning('a message was handled, which is not written down', trouble);
    }
  }

  /** What an earlier process let in and did not hand on, page by page, without what is settled here. */
  async *leftOpen(): AsyncGenerator<readonly ChatMessage[], void> {
    let afterId = 0;
    for (;;) {
      const open = await this.#options.inbox.open({ afterId, limit: pageSize });
      yield await this.#recovered(open);
      const last = open.at(-1);
      if (last === undefined || open.length < pageSize) return;
      afterId = last.id;
    }
  }

  async #recovered(rows: readonly ChatMessage[]): Promise<readonly ChatMessage[]> {
    const left: ChatMessage[] = [];
    for (const row of rows) {
      const event = row.state === 'waiting' ? readWaiting(row)?.event : undefined;
      const claim = event === undefined ? undefined : this.#claimOf(row.sessionKey, event);
      if (event === undefined || claim?.as !== 'late') left.push(row);
      else {
        await this.#options.endLate(row, event, claim.reply);
        claim.told();
      }
    }
    return left;
  }

  #claimOf(sessionKey: string, event: MessageEvent): Claim | undefined {
    const { source, text, timestamp: sentAt, forwarded_from: author, rewritten_by: hook, internal } = event;
    // What others said, and what nobody said, answers nothing.
    if (author !== undefined || hook !== undefined || internal === true) return undefined;
    return this.#options.desk.claim(sessionKey, { source, text, sentAt });
  }

  /** The message has ended before its answer counts: no later start can take it for a message to the agent. */
  async #claimed(chat: Chat, event: MessageEvent, claim: Claim): Promise<void> {
    chat.take(event);
    try {
      if (claim.as === 'late') await this.#options.refuse(event, claim.reply);
      await chat.handled(event);
    } catch (error) {
      if (claim.as === 'answer') claim.give(false);
      return this.#options.log.error('an answer could not be written down, so it does not count', error);
    }
    if (claim.as === 'answer') claim.give(true);
    else claim.told();
  }

  /** Written down like an answer: the platform is told that the message has arrived, so its sender must be told too. */
  async #refuse(event: MessageEvent, why: string): Promise<Acceptance> {
    await this.#options.refuse(event, why);
    return 'refused';
  }

  #answerStranger(event: MessageEvent, reply: string): Acceptance {
    this.#say(event, reply);
    return 'refused';
  }

  /** Once in a while to each chat: the platform delivers the same message again and again. */
  #tell(event: MessageEvent, text: string): void {
    const { source } = event;
    const chat = `${source.platform}:${source.chat_id}`;
    const now = this.#options.clock.now();
    const told = this.#told.get(chat);
    if (told !== undefined && now - told < tellEveryMs && now >= told) return;
    if (this.#told.size >= maxTold) this.#told.clear();
    this.#told.set(chat, now);
    this.#say(event, text);
  }

  /** Not waited for: a platform that is slow to take it must not hold up what arrives. */
  #say(event: MessageEvent, text: string): void {
    this.#options.say(event, text).catch((error: unknown) => this.#options.log.warning('a notice was not told', error));
  }
}

/** Lone surrogates are no text; neither the store nor a model takes them, wherever in a message they stand. */
function wellFormed(event: MessageEvent): MessageEvent {
  const json = JSON.stringify(event);
  // JSON writes them, and nothing else of their kind, as escapes.
  const clean = json.replace(/(\\+)ud[89a-f][0-9a-f]{2}/g, (escape, { length }: string) =>
    length % 2 === 0 ? escape : `${'\\'.repeat(length)}ufffd`,
  );
  const read = clean === json ? undefined : messageEvent.safeParse(parseJson(clean)).data;
  return read ?? { ...event, text: event.text.toWellFormed() };
}
