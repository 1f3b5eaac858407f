/** What has happened in rooms, from the homeserver's answers to the gateway. */
import * as z from 'zod';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import type { QuotedMessage } from '../../platform/message-event.ts';
import type { SessionSource } from '../../platform/session-source.ts';
import type { Me } from './addressing.ts';
import { type MatrixApi, path } from './api.ts';
import type { Machine } from './crypto/machine.ts';
import { contentOf, readMessage, sourceOf, withoutFallback } from './intake.ts';
import type { KnownThreads } from './known-threads.ts';
import type { Questions } from './questions.ts';
import { Recent } from './recent.ts';
import type { Rooms } from './rooms.ts';
import type { MatrixSettings } from './settings.ts';
import type { Texts } from './texts.ts';
import { Undecrypted, type Waiting } from './undecrypted.ts';
import * as wire from './wire.ts';

export interface IncomingOptions {
  readonly api: MatrixApi;
  readonly host: AdapterHost;
  readonly settings: MatrixSettings;
  readonly me: Me;
  readonly rooms: Rooms;
  readonly machine: Machine | undefined;
  readonly questions: Questions;
  readonly texts: Texts;
  readonly threads: KnownThreads;
  /** Commands of the gateway. */
  readonly isCommand: (name: string) => boolean;
  readonly signal: AbortSignal;
}

/** Clocks differ; what was written a moment before the first start is meant for it. */
const graceMs = 5000;
const pageSize = '100';
const maxPages = 50;
const maxRecent = 2000;

type Timeline = wire.SyncAnswer['rooms']['join'][string]['timeline'];

export class Incoming {
  readonly #options: IncomingOptions;
  readonly #startedAt: number;
  readonly #undecrypted: Undecrypted;
  /** What was said lately, for answers to it. */
  readonly #recent = new Recent<{ readonly sender: string; readonly text: string }>(maxRecent);
  /** Answers whose keys were read already: an answer comes again when a message in it could not be kept. */
  #keysReadOf: string | undefined;
  #keysCame = true;

  constructor(options: IncomingOptions) {
    this.#options = options;
    this.#startedAt = options.host.clock.now();
    this.#undecrypted = new Undecrypted(options.host);
    options.machine?.onKeys(() => (this.#keysCame = true));
  }

  async load(): Promise<void> {
    await this.#undecrypted.load();
  }

  /** Rejects when a message could not be kept. */
  async handle(answer: wire.SyncAnswer, since: string | undefined): Promise<void> {
    const { machine, rooms, signal } = this.#options;
    if (machine !== undefined && this.#keysReadOf !== answer.next_batch) {
      await machine.receive(answer);
      this.#keysReadOf = answer.next_batch;
    }
    for (const given of answer.account_data.events) {
      const { data } = z.looseObject({ type: z.literal('m.direct'), content: z.unknown() }).safeParse(given);
      if (data !== undefined) rooms.learnDirect(data.content);
    }
    for (const [roomId, { timeline, state }] of Object.entries(answer.rooms.join)) {
      for (const event of readable(state.events)) rooms.learn(roomId, event);
      for (const event of readable(await this.#filled(roomId, timeline, since))) {
        await this.#event(roomId, event, since === undefined);
        signal.throwIfAborted();
      }
    }
    for (const [roomId, { invite_state }] of Object.entries(answer.rooms.invite))
      await this.#invited(roomId, invite_state.events);
    await this.#settle();
    await this.#tryAgain();
  }

  /** The events of a timeline, with those that the homeserver left out of it. */
  async #filled(
    roomId: string,
    { events, limited, prev_batch: before }: Timeline,
    since: string | undefined,
  ): Promise<readonly unknown[]> {
    const { api, host, signal } = this.#options;
    // At the first start everything before it is past.
    const isPast = (page: readonly unknown[]): boolean =>
      since === undefined && readable(page).some(({ origin_server_ts: at }) => at < this.#startedAt - graceMs);
    if (!limited || isPast(events)) return events;
    const missing: unknown[] = [];
    let from = before;
    for (let page = 0; from !== undefined && page < maxPages; page += 1) {
      const query: Record<string, string | undefined> = { dir: 'b', from, to: since, limit: pageSize };
      const where = path`/client/v3/rooms/${roomId}/messages`;
      const found: z.infer<typeof wire.messages> = await api.call('GET', where, wire.messages, { signal, query });
      missing.push(...found.chunk);
      from = found.chunk.length === 0 || isPast(found.chunk) ? undefined : found.end;
    }
    if (from !== undefined)
      host.log.warning(`more was written in ${roomId} than can be read after the interruption; the oldest is left out`);
    return [...missing.toReversed(), ...events];
  }

  async #event(roomId: string, event: wire.MatrixEvent, first: boolean): Promise<void> {
    const { rooms, machine, settings } = this.#options;
    rooms.learn(roomId, event);
    if (first && event.origin_server_ts < this.#startedAt - graceMs) return;
    if (event.type !== 'm.room.encrypted') return await this.#clear(roomId, event);
    if (machine === undefined) {
      if (settings.e2ee_mode !== 'off') await this.#cannotRead([{ roomId, event, arrived: 0, told: false }]);
      return;
    }
    const decrypted = await machine.decrypt(event, roomId);
    if (decrypted.as === 'event') return await this.#clear(roomId, decrypted.event);
    if (event.sender !== this.#options.me.userId) await this.#cannotRead(await this.#undecrypted.add(roomId, event));
  }

  async #clear(roomId: string, event: wire.MatrixEvent): Promise<void> {
    const { me, host, threads } = this.#options;
    const content = contentOf(event);
    if (content !== undefined)
      this.#recent.set(event.event_id, { sender: event.sender, text: withoutFallback(content.body) });
    if (event.sender === me.userId) {
      const relation = content?.['m.relates_to'];
      if (relation?.rel_type === 'm.thread' && relation.event_id !== undefined) await threads.add(relation.event_id);
      return;
    }
    if (event.type === 'm.reaction') return await this.#reaction(roomId, event);
    if (content === undefined) return;
    const message = await readMessage(roomId, event, {
      ...this.#options,
      ...(await this.#around(roomId, event.sender)),
      ...this.#lookups(roomId),
    });
    if (message === undefined) return;
    const acceptance = await host.accept(message);
    if (acceptance === 'accepted') void this.#read(roomId, event.event_id);
  }

  async #reaction(roomId: string, event: wire.MatrixEvent): Promise<void> {
    const { data } = wire.reactionContent.safeParse(event.content);
    const { event_id: target, key } = data?.['m.relates_to'] ?? {};
    if (target === undefined || key === undefined || !this.#options.questions.asks(target)) return;
    const source = sourceOf(roomId, event, null, await this.#around(roomId, event.sender));
    await this.#options.questions.reacted(target, key, source);
  }

  async #around(
    roomId: string,
    sender: string,
  ): Promise<{ readonly direct: boolean; readonly roomName: string | undefined; readonly senderName: string }> {
    const { rooms, signal } = this.#options;
    const [direct, roomName, members] = await Promise.all([
      rooms.isDirect(roomId, signal),
      rooms.name(roomId, signal),
      rooms.members(roomId, signal),
    ]);
    return { direct, roomName, senderName: members.find(({ id }) => id === sender)?.name ?? sender };
  }

  #lookups(roomId: string) {
    const { threads, isCommand } = this.#options;
    return {
      isKnownThread: (root: string) => threads.has(root),
      isCommand,
      quoted: async (eventId: string) => await this.#quoted(roomId, eventId),
    };
  }

  async #quoted(roomId: string, eventId: string): Promise<QuotedMessage> {
    const { me } = this.#options;
    const known = this.#recent.get(eventId) ?? (await this.#fetched(roomId, eventId));
    if (known === undefined) return { message_id: eventId, own: false };
    const { sender, text } = known;
    return { message_id: eventId, text, author_id: sender, own: sender === me.userId };
  }

  async #fetched(
    roomId: string,
    eventId: string,
  ): Promise<{ readonly sender: string; readonly text: string } | undefined> {
    const { api, machine, host, signal } = this.#options;
    try {
      const found = await api.call('GET', path`/client/v3/rooms/${roomId}/event/${eventId}`, wire.event, { signal });
      const decrypted = found.type === 'm.room.encrypted' ? await machine?.decrypt(found, roomId) : undefined;
      const content = contentOf(decrypted?.as === 'event' ? decrypted.event : found);
      return { sender: found.sender, text: withoutFallback(content?.body ?? '') };
    } catch (error) {
      signal.throwIfAborted();
      host.log.debug(`a quoted message of ${roomId} is not known`, error);
      return undefined;
    }
  }

  /** People see that it was read; without, it was read as well. */
  async #read(roomId: string, eventId: string): Promise<void> {
    const { api, host, signal } = this.#options;
    try {
      await api.call('POST', path`/client/v3/rooms/${roomId}/receipt/m.read/${eventId}`, z.unknown(), {
        signal,
        body: {},
      });
    } catch (error) {
      if (!signal.aborted) host.log.debug('a message could not be marked as read', error);
    }
  }

  /** Who may talk to the bot may invite it; into rooms, where rooms are named, only into those. */
  async #invited(roomId: string, events: readonly unknown[]): Promise<void> {
    const { api, host, me, settings, signal } = this.#options;
    const invitation = events
      .flatMap((given) => wire.strippedEvent.safeParse(given).data ?? [])
      .find(({ type, state_key: key }) => type === 'm.room.member' && key === me.userId);
    if (invitation === undefined) return;
    const direct = invitation.content['is_direct'] === true;
    const source: SessionSource = {
      ...sourceOf(roomId, { sender: invitation.sender, event_id: '' }, null, {
        direct,
        roomName: undefined,
        senderName: invitation.sender,
      }),
      chat_type: 'dm',
    };
    const allowed = direct || settings.allowed_rooms.length === 0 || settings.allowed_rooms.includes(roomId);
    if (!allowed || !(await host.isAuthorized(source)))
      return host.log.info(
        `an invitation of ${invitation.sender} to ${roomId} is left alone: they or the room are not allowed`,
      );
    try {
      await api.call('POST', path`/client/v3/join/${roomId}`, z.unknown(), { signal, body: {} });
    } catch (error) {
      signal.throwIfAborted();
      host.log.warning(`the room ${roomId} could not be joined`, error);
    }
  }

  /** What the device has to tell others waits no longer than until the next answer. */
  async #settle(): Promise<void> {
    const { machine, host, signal } = this.#options;
    try {
      await machine?.settle(signal);
    } catch (error) {
      signal.throwIfAborted();
      host.log.warning('keys could not be exchanged with the homeserver; it is tried again', error);
    }
  }

  async #tryAgain(): Promise<void> {
    const { machine } = this.#options;
    if (machine === undefined) return;
    if (this.#keysCame) {
      this.#keysCame = false;
      for (const { roomId, event } of this.#undecrypted.all) {
        const decrypted = await machine.decrypt(event, roomId);
        if (decrypted.as !== 'event') continue;
        await this.#clear(roomId, decrypted.event);
        await this.#undecrypted.remove(event.event_id);
      }
    }
    await this.#cannotRead(await this.#undecrypted.overdue());
  }

  /** Told to those who may talk to the bot; once for each room. */
  async #cannotRead(messages: readonly Waiting[]): Promise<void> {
    const { host, texts, signal } = this.#options;
    const told = new Set<string>();
    for (const { roomId, event } of messages) {
      const source = sourceOf(roomId, event, null, await this.#around(roomId, event.sender));
      if (told.has(roomId) || !(await host.isAuthorized(source))) continue;
      told.add(roomId);
      const text = 'I cannot read a message here: I did not get the key to it. Please send it again.';
      const sent = await texts.send(
        {
          to: { chatId: roomId, threadId: null },
          text,
          replyTo: event.event_id,
          idempotencyKey: `unread ${event.event_id}`,
        },
        signal,
      );
      if (!sent.ok)
        host.log.warning(`a message of ${roomId} cannot be read, and that could not be told: ${sent.error}`);
    }
  }
}

/** Those that can be read; Matrix lets anybody send anything. */
function readable(events: readonly unknown[]): readonly wire.MatrixEvent[] {
  return events.flatMap((given) => wire.event.safeParse(given).data ?? []);
}
