/**
 * People who compare their device with that of the bot: who is answered, where the bot tells what it sees, and who says
 * that it is the same. The signs are no secret; the answer counts only when it came encrypted, as a homeserver could
 * otherwise give it.
 */
import * as z from 'zod';
import { errorMessage } from '../../../lib/errors.ts';
import type { AdapterHost } from '../../platform/adapter-host.ts';
import type { Flow, Step } from './crypto/flow.ts';
import type { Verifications } from './crypto/verifications.ts';
import { contentOf } from './intake.ts';
import { Recent } from './recent.ts';
import type { Rooms } from './rooms.ts';
import type { Texts } from './texts.ts';
import * as words from './verification-words.ts';
import { Verifiers } from './verifiers.ts';
import { type MatrixEvent, userId as userIdSchema } from './wire.ts';

export interface VerifyingOptions {
  readonly host: AdapterHost;
  readonly rooms: Rooms;
  readonly texts: Texts;
  readonly verifications: Verifications;
  readonly me: string;
  /** Commands of the gateway. */
  readonly isCommand: (name: string) => boolean;
  readonly signal: AbortSignal;
}

interface Open {
  readonly userId: string;
  readonly id: string;
  readonly flow: Flow;
  /** Where the signs are told and the answer is given. */
  readonly chatId: string;
  readonly began: number;
  told: boolean;
}

/** At the same time; the library knows one of each account. */
const maxOpen = 20;
const maxSeen = 500;
/** From the request to the end, as the specification has it. */
const longestMs = 10 * 60_000;

const prefix = 'm.key.verification.';
const toDevice = z.object({ type: z.string().startsWith(prefix), sender: z.string() });
const request = z.object({
  type: z.literal(`${prefix}request`),
  sender: userIdSchema,
  content: z.object({ transaction_id: z.string().min(1).max(255) }),
});
const reference = z.object({ 'm.relates_to': z.object({ event_id: z.string() }) });
const echo = z.object({ unsigned: z.object({ transaction_id: z.string() }) });

export class Verifying {
  readonly #options: VerifyingOptions;
  readonly #verifiers: Verifiers;
  readonly #open = new Map<string, Open>();
  /** An answer of the homeserver can come again. */
  readonly #seen = new Recent<true>(maxSeen);

  constructor(options: VerifyingOptions) {
    this.#options = options;
    this.#verifiers = new Verifiers(options);
  }

  /** What was sent to the device, without what strangers would like to verify: of that nothing is even kept. */
  async screened(events: readonly unknown[]): Promise<readonly unknown[]> {
    const kept: unknown[] = [];
    const answered = new Map<string, boolean>();
    for (const event of events) {
      const { sender } = toDevice.safeParse(event).data ?? {};
      const isAnswered = sender === undefined || (answered.get(sender) ?? (await this.#verifiers.may(sender)));
      if (sender !== undefined) answered.set(sender, isAnswered);
      if (isAnswered) kept.push(event);
      const { data: asked } = request.safeParse(event);
      if (asked === undefined) continue;
      if (isAnswered) await this.#meet(asked.sender);
      else this.#options.host.log.info(`a verification that ${asked.sender} asks for is left alone`);
    }
    return kept;
  }

  /** Of what was sent to the device, decrypted, the requests are answered. */
  async toDevice(events: readonly unknown[]): Promise<void> {
    for (const event of events) {
      const { data } = request.safeParse(event);
      if (data === undefined || !(await this.#verifiers.may(data.sender))) continue;
      const { sender, content } = data;
      await this.#begin(sender, content.transaction_id, async () => await this.#verifiers.chatOf(sender));
    }
  }

  /** True for what belongs to a verification in a room, or is the answer to one. `sealed`: it came encrypted. */
  async inRoom(roomId: string, event: MatrixEvent, sealed: boolean): Promise<boolean> {
    const { me, verifications } = this.#options;
    const { type, sender, content, event_id: id } = event;
    if (type === 'm.room.message' && content['msgtype'] === `${prefix}request`) {
      if (sender !== me && content['to'] === me) await this.#asked(roomId, event);
      return true;
    }
    if (!type.startsWith(prefix)) return sender !== me && (await this.#answered(roomId, event, sealed));
    const { data } = reference.safeParse(content);
    const open = this.#open.get(keyOf(sender, data?.['m.relates_to'].event_id ?? id));
    if (open?.flow.roomId === roomId && !echo.safeParse(event).success) await verifications.receive(roomId, event);
    return true;
  }

  /** What is to be done next in each of them. */
  async advance(): Promise<void> {
    const { host, verifications, signal } = this.#options;
    if (this.#open.size === 0) return;
    try {
      await verifications.settle(signal);
    } catch (error) {
      signal.throwIfAborted();
      host.log.warning('a step of a verification could not be sent; it is tried again', error);
      // What would be the end is none before the other side has heard of it.
      for (const open of this.#open.values()) if (this.#isOverdue(open)) await this.#cancel(open, 'm.timeout');
      return;
    }
    for (const open of this.#open.values()) await this.#step(open);
  }

  #isOverdue({ began }: Open): boolean {
    return this.#options.host.clock.now() - began > longestMs;
  }

  async #step(open: Open): Promise<void> {
    const { host, signal } = this.#options;
    const { flow, userId } = open;
    const step = flow.step();
    if (step.as === 'done') {
      this.#open.delete(keyOf(userId, open.id));
      host.log.info(`verified: ${this.#what(open)}`);
      return void (await this.#tell(open, 'end', words.verified(this.#what(open))));
    }
    if (step.as === 'off') return await this.#ended(open, step);
    if (this.#isOverdue(open)) return await this.#cancel(open, 'm.timeout');
    if (step.as === 'begun') return await this.#trying(open, async () => await flow.go(signal));
    if (step.as !== 'compare' || open.told) return;
    open.told = true;
    host.log.info(`to verify ${this.#what(open)}, these are to be compared: ${step.signs}`);
    const told = await this.#tell(open, 'signs', words.comparison(step.signs, this.#what(open)));
    if (!told) await this.#cancel(open, 'm.user');
  }

  async #asked(roomId: string, event: MatrixEvent): Promise<void> {
    const { host, rooms, verifications, signal } = this.#options;
    const { sender, event_id: id } = event;
    if (!(await this.#verifiers.may(sender, roomId)))
      return host.log.info(`a verification that ${sender} asks for is left alone`);
    try {
      const isPrivate = await rooms.isDirect(roomId, signal);
      if (!isPrivate || (await rooms.encryption(roomId, signal)) === undefined)
        return void (await this.#say(roomId, words.notHere, `verify ${id}`));
    } catch (error) {
      signal.throwIfAborted();
      return host.log.warning(`a verification that ${sender} asks for could not be answered`, error);
    }
    await this.#meet(sender);
    await verifications.receive(roomId, event);
    await this.#begin(sender, id, async () => await Promise.resolve(roomId));
  }

  async #begin(userId: string, id: string, chat: () => Promise<string | undefined>): Promise<void> {
    const { host, verifications, signal } = this.#options;
    const key = keyOf(userId, id);
    if (this.#seen.get(key) === true) return;
    this.#seen.set(key, true);
    const flow = verifications.find(userId, id);
    if (flow === undefined)
      return host.log.info(`a verification that ${userId} asks for is too old, or of a device that nobody knows`);
    const found = await chat();
    const why = this.#whyNot(userId, found);
    const chatId = why === undefined ? (found ?? '') : '';
    const open = { userId, id, flow, chatId, began: host.clock.now(), told: false };
    this.#open.set(key, open);
    if (why === undefined) {
      host.log.info(`${userId} asks for a verification`);
      return await this.#trying(open, async () => await flow.accept(signal));
    }
    host.log.warning(`a verification that ${userId} asks for is declined: ${why}`);
    await this.#cancel(open, 'm.user');
  }

  #whyNot(userId: string, chatId: string | undefined): string | undefined {
    const open = [...this.#open.values()];
    if (chatId === undefined)
      return userId === this.#options.me
        ? 'there is no home room (MATRIX_HOME_ROOM) that is encrypted to compare in'
        : 'there is no encrypted private chat to compare in';
    // A word of agreement must not be taken for another one than it was meant for.
    if (open.some((each) => each.chatId === chatId)) return 'another one is under way in the same chat';
    return open.length >= maxOpen ? 'too many are under way' : undefined;
  }

  /** Only in the room where the signs were told, and encrypted. */
  async #answered(roomId: string, event: MatrixEvent, sealed: boolean): Promise<boolean> {
    const { host, me, isCommand, signal } = this.#options;
    const { sender, event_id: id } = event;
    const content = contentOf(event);
    const answer = content?.msgtype === 'm.text' ? words.readAnswer(content.body) : undefined;
    if (answer === undefined) return false;
    const open = [...this.#open.values()].find(
      ({ chatId, told, userId }) => told && chatId === roomId && (userId === sender || userId === me),
    );
    if (open === undefined && isCommand('verify')) return false;
    if (!(await this.#verifiers.may(sender, roomId))) return false;
    const reply = async (text: string): Promise<true> => {
      await this.#say(roomId, text, `verify ${id}`);
      return true;
    };
    if (open === undefined) return await reply(words.notOpen);
    if (!sealed) {
      host.log.warning(`an answer to a verification in ${roomId} came unencrypted, so it does not count`);
      return true;
    }
    const { as } = open.flow.step();
    if (as === 'agreed') return await reply(words.noted);
    // It has just come to its end, which is told next.
    if (as !== 'compare') return true;
    if (answer === 'no') {
      await this.#cancel(open, 'm.mismatched_sas');
      return true;
    }
    host.log.info(`${sender} says that the signs are the same`);
    await this.#trying(open, async () => await open.flow.confirm(signal));
    return open.flow.step().as === 'agreed' ? await reply(words.noted) : true;
  }

  /** A verification that breaks off must not hold up the messages of others. */
  async #trying(open: Open, body: () => Promise<void>): Promise<void> {
    const { host, signal } = this.#options;
    try {
      await body();
    } catch (error) {
      signal.throwIfAborted();
      host.log.warning(`a step of the verification of ${open.userId} could not be sent`, error);
      await this.#cancel(open, 'm.user');
    }
  }

  async #cancel(open: Open, code: string): Promise<void> {
    const { host, signal } = this.#options;
    try {
      await open.flow.cancel(code, signal);
    } catch (error) {
      signal.throwIfAborted();
      host.log.debug(`the other side of a verification does not know that it is off: ${errorMessage(error)}`);
    }
    await this.#ended(open, { as: 'off', code, byUs: true });
  }

  async #ended(open: Open, step: Extract<Step, { readonly as: 'off' }>): Promise<void> {
    const { log } = this.#options.host;
    this.#open.delete(keyOf(open.userId, open.id));
    const line = `not verified (${step.code}): ${this.#what(open)}`;
    if (words.isAlarming(step.code)) log.warning(line);
    else log.info(line);
    if (open.chatId !== '') await this.#tell(open, 'end', words.notVerified(step));
  }

  async #tell({ userId, id, chatId }: Open, what: string, text: string): Promise<boolean> {
    return await this.#say(chatId, text, `verify ${userId} ${id} ${what}`);
  }

  async #say(chatId: string, text: string, idempotencyKey: string): Promise<boolean> {
    const { texts, host, signal } = this.#options;
    const sent = await texts.send({ to: { chatId, threadId: null }, text, plain: true, idempotencyKey }, signal);
    if (!sent.ok) host.log.warning(`what is to be said of a verification could not be sent: ${sent.error}`);
    return sent.ok;
  }

  async #meet(userId: string): Promise<void> {
    const { host, verifications, signal } = this.#options;
    try {
      await verifications.meet(userId, signal);
    } catch (error) {
      signal.throwIfAborted();
      host.log.debug(`the devices of ${userId} could not be asked for: ${errorMessage(error)}`);
    }
  }

  #what({ flow, userId }: Open): string {
    return words.device(flow.deviceId, userId === this.#options.me ? undefined : userId);
  }
}

function keyOf(userId: string, id: string): string {
  return `${userId} ${id}`;
}
