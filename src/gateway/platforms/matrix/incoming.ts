/** What has happened in rooms, from the homeserver's answers to the gateway. */
import * as z from 'zod';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import type { SessionSource } from '../../platform/session-source.ts';
import type { Me } from './addressing.ts';
import { type MatrixApi, path } from './api.ts';
import type { Machine } from './crypto/machine.ts';
import { isRefusal } from './errors.ts';
import { contentOf, readMessage, sourceOf } from './intake.ts';
import { Invitations } from './invitations.ts';
import type { KnownThreads } from './known-threads.ts';
import type { Questions } from './questions.ts';
import { Quotes } from './quotes.ts';
import { Recent } from './recent.ts';
import type { Rooms } from './rooms.ts';
import type { MatrixSettings } from './settings.ts';
import type { Texts } from './texts.ts';
import { readable, Timelines } from './timeline.ts';
import { Undecrypted, type Waiting } from './undecrypted.ts';
import { Verifying } from './verifying.ts';
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
/** A room whose messages cannot be read is told so no oftener. */
const tellEveryMs = 3_600_000;
const maxTold = 1000;

interface Around {
  readonly direct: boolean;
  readonly roomName: string | undefined;
  readonly senderName: string;
}

export class Incoming {
  readonly #options: IncomingOptions;
  readonly #startedAt: number;
  readonly #timelines: Timelines;
  readonly #quotes: Quotes;
  readonly #invitations: Invitations;
  readonly #undecrypted: Undecrypted;
  readonly #verifying: Verifying | undefined;
  /** When a room was told that it cannot be read, and which rooms are read no more for want of encryption. */
  readonly #told = new Recent<number>(maxTold);
  /** Answers whose keys were read already: an answer comes again when a message in it could not be kept. */
  #keysReadOf: string | undefined;
  #keysCame = true;

  constructor(options: IncomingOptions) {
    const { api, host, machine, me, signal } = options;
    this.#options = options;
    this.#startedAt = host.clock.now();
    this.#timelines = new Timelines({
      api,
      host,
      signal,
      isPast: (events) => events.some((each) => this.#isOld(each)),
    });
    this.#quotes = new Quotes({ api, host, machine, userId: me.userId, signal });
    this.#invitations = new Invitations(api, host);
    this.#undecrypted = new Undecrypted(host);
    const { verifications } = machine ?? {};
    this.#verifying = verifications && new Verifying({ ...options, verifications, me: me.userId });
    machine?.onKeys(() => (this.#keysCame = true));
  }

  async load(): Promise<void> {
    await this.#undecrypted.load();
    await this.#invitations.load();
  }

  /** Rejects when a message could not be kept. */
  async handle(answer: wire.SyncAnswer, since: string | undefined): Promise<void> {
    const { machine, rooms, signal } = this.#options;
    if (machine !== undefined && this.#keysReadOf !== answer.next_batch) {
      const events = (await this.#verifying?.screened(answer.to_device.events)) ?? [];
      const said = await machine.receive({ ...answer, to_device: { events: [...events] } });
      this.#keysReadOf = answer.next_batch;
      this.#keysCame ||= events.length > 0;
      await this.#verifying?.toDevice(said);
    }
    for (const given of answer.account_data.events) {
      const { data } = z.looseObject({ type: z.literal('m.direct'), content: z.unknown() }).safeParse(given);
      if (data !== undefined) rooms.learnDirect(data.content);
    }
    for (const [roomId, { timeline, state }] of Object.entries(answer.rooms.join)) {
      for (const event of readable(state.events)) rooms.learn(roomId, event);
      for (const event of await this.#timelines.whole(roomId, timeline, since)) {
        await this.#event(roomId, event, since === undefined);
        signal.throwIfAborted();
      }
    }
    for (const [roomId, { invite_state }] of Object.entries(answer.rooms.invite))
      await this.#invited(roomId, invite_state.events);
    await this.#invitations.join(signal);
    await this.#settle();
    await this.#verifying?.advance();
    await this.#tryAgain();
  }

  #isOld({ origin_server_ts: at }: wire.MatrixEvent): boolean {
    return at < this.#startedAt - graceMs;
  }

  async #event(roomId: string, event: wire.MatrixEvent, first: boolean): Promise<void> {
    const { rooms, machine, settings, me, signal } = this.#options;
    rooms.learn(roomId, event);
    if (first && this.#isOld(event)) return;
    if (event.type === 'm.room.tombstone') return await this.#replaced(roomId, event);
    if (event.type !== 'm.room.encrypted') {
      if (settings.e2ee_mode === 'required' && isSaid(event)) return this.#open(roomId, event);
      return await this.#clear(roomId, event, false);
    }
    // It was taken back before it was read.
    if (event.content['ciphertext'] === undefined) return;
    if (machine === undefined) {
      if (settings.e2ee_mode !== 'off') await this.#cannotRead([{ roomId, event, arrived: 0, told: false }]);
      return;
    }
    const decrypted = await machine.decrypt(event, roomId, signal);
    if (decrypted.as === 'event') return await this.#clear(roomId, decrypted.event, true);
    if (decrypted.as === 'missing' && event.sender !== me.userId)
      await this.#cannotRead(await this.#undecrypted.add(roomId, event));
  }

  /** `sealed`: it came encrypted. */
  async #clear(roomId: string, event: wire.MatrixEvent, sealed: boolean): Promise<void> {
    const { me, host, threads, isCommand } = this.#options;
    if ((await this.#verifying?.inRoom(roomId, event, sealed)) === true) return;
    const content = contentOf(event);
    if (content !== undefined) this.#quotes.learn(event, content);
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
      isCommand,
      isKnownThread: (root) => threads.has(root),
      quoted: async (eventId) => await this.#quotes.find(roomId, eventId),
    });
    if (message === undefined) return;
    const acceptance = await host.accept(message);
    if (acceptance === 'accepted') void this.#read(roomId, event.event_id);
  }

  /** Where encryption is required, the homeserver must not be able to put words into anybody's mouth. */
  #open(roomId: string, { sender }: wire.MatrixEvent): void {
    const { host, me } = this.#options;
    const key = `open ${roomId}`;
    if (sender === me.userId || this.#told.get(key) !== undefined) return;
    this.#told.set(key, host.clock.now());
    host.log.warning(`messages of ${roomId} that are not encrypted are not read, as MATRIX_E2EE_MODE is required`);
  }

  async #reaction(roomId: string, event: wire.MatrixEvent): Promise<void> {
    const { data } = wire.reactionContent.safeParse(event.content);
    const { event_id: target, key } = data?.['m.relates_to'] ?? {};
    if (target === undefined || key === undefined || !this.#options.questions.asks(target)) return;
    const source = sourceOf(roomId, event, null, await this.#around(roomId, event.sender));
    await this.#options.questions.reacted(target, key, source);
  }

  /** A room that the bot has just left tells nothing any more; then it is a group without a name. */
  async #around(roomId: string, sender: string): Promise<Around> {
    const { rooms, signal } = this.#options;
    try {
      const [direct, roomName, members] = await Promise.all([
        rooms.isDirect(roomId, signal),
        rooms.name(roomId, signal),
        rooms.members(roomId, signal),
      ]);
      return { direct, roomName, senderName: members.find(({ id }) => id === sender)?.name ?? sender };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return { direct: false, roomName: undefined, senderName: sender };
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
    const { me, host } = this.#options;
    const invitation = events
      .flatMap((given) => wire.strippedEvent.safeParse(given).data ?? [])
      .find(({ type, state_key: key }) => type === 'm.room.member' && key === me.userId);
    if (invitation === undefined) return;
    const { sender, content } = invitation;
    const direct = content['is_direct'] === true;
    if (await this.#mayJoin(roomId, roomId, sender, direct)) return await this.#invitations.add(roomId);
    host.log.info(`an invitation of ${sender} to ${roomId} is left alone: they or the room are not allowed`);
  }

  /** https://spec.matrix.org/latest/client-server-api/#room-upgrades: the conversation goes on in another room. */
  async #replaced(roomId: string, { sender, content, state_key: key }: wire.MatrixEvent): Promise<void> {
    const { host, settings } = this.#options;
    const { data: next } = wire.roomId.safeParse(content['replacement_room']);
    if (key === undefined || next === undefined || !(await this.#mayJoin(roomId, next, sender, false))) return;
    await this.#invitations.add(next, sender.slice(sender.indexOf(':') + 1));
    if (settings.allowed_rooms.length > 0 && !settings.allowed_rooms.includes(next))
      host.log.warning(`the room ${roomId} was replaced by ${next}: put that one into MATRIX_ALLOWED_ROOMS`);
  }

  /** `roomId`: the room that is named in the settings, if any is. */
  async #mayJoin(roomId: string, joined: string, sender: string, direct: boolean): Promise<boolean> {
    const { host, settings } = this.#options;
    const allowed = direct || settings.allowed_rooms.length === 0 || settings.allowed_rooms.includes(roomId);
    const around = { direct, roomName: undefined, senderName: sender };
    const source: SessionSource = { ...sourceOf(joined, { sender, event_id: '' }, null, around), chat_type: 'dm' };
    return allowed && (await host.isAuthorized(source));
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
    const { machine, signal } = this.#options;
    if (machine === undefined) return;
    if (this.#keysCame) {
      this.#keysCame = false;
      for (const { roomId, event } of this.#undecrypted.all) {
        const decrypted = await machine.decrypt(event, roomId, signal);
        if (decrypted.as === 'missing') continue;
        if (decrypted.as === 'event') await this.#clear(roomId, decrypted.event, true);
        await this.#undecrypted.remove(event.event_id);
      }
    }
    await this.#cannotRead(await this.#undecrypted.overdue());
  }

  /** Told to those who may talk to the bot, and not for each message. */
  async #cannotRead(messages: readonly Waiting[]): Promise<void> {
    const { host, texts, signal } = this.#options;
    for (const { roomId, event } of messages) {
      const now = host.clock.now();
      if (now - (this.#told.get(roomId) ?? -Infinity) < tellEveryMs) continue;
      const source = sourceOf(roomId, event, null, await this.#around(roomId, event.sender));
      if (!(await host.isAuthorized(source))) continue;
      this.#told.set(roomId, now);
      const text = 'I cannot read a message here: I did not get the key to it. Please send it again.';
      const to = { chatId: roomId, threadId: null };
      const key = `unread ${event.event_id}`;
      const sent = await texts.send({ to, text, replyTo: event.event_id, idempotencyKey: key }, signal);
      if (!sent.ok)
        host.log.warning(`a message of ${roomId} cannot be read, and that could not be told: ${sent.error}`);
    }
  }
}

/** What a person says, with a sign too: yes to a question is a reaction, which programs never encrypt. */
function isSaid({ type, content: { msgtype } }: wire.MatrixEvent): boolean {
  // Nor do they encrypt that somebody would like to compare devices.
  if (type === 'm.room.message') return msgtype !== 'm.key.verification.request';
  return type === 'm.sticker' || type === 'm.reaction';
}
