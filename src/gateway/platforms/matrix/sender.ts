/** Puts events into rooms, encrypted where the room is; the same key is the same event however often it is sent. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { type MatrixApi, path } from './api.ts';
import type { Machine } from './crypto/machine.ts';
import { NotAnswered } from '../../platform/http-answers.ts';
import { ApiError, NotSendable, notSent } from './errors.ts';
import type { Rooms } from './rooms.ts';
import type { MatrixSettings } from './settings.ts';
import type { SendResult } from '../../platform/send-result.ts';
import * as wire from './wire.ts';

export interface SenderOptions {
  readonly api: MatrixApi;
  readonly rooms: Rooms;
  readonly mode: MatrixSettings['e2ee_mode'];
  /** Logs in, if that has not been done. */
  ready(signal: AbortSignal): Promise<void>;
  /** Undefined without a connection: the keys of the device belong to one process. */
  machine(): Machine | undefined;
  /** The gateway stops: what is encrypted waits for the next one. */
  ended(): boolean;
}

/** What an event may have altogether is 65,536 bytes; signatures and ids need some. */
const maxEventBytes = 60_000;
const maxEncryptedBytes = 43_000;

export class Sender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** The id of the event. `key` names it for all attempts. */
  async put(roomId: string, type: string, content: object, key: string, signal: AbortSignal): Promise<string> {
    const { rooms, api } = this.#options;
    await this.#options.ready(signal);
    // Reactions are never encrypted: the homeserver counts them.
    const encryption = type === 'm.reaction' ? undefined : await rooms.encryption(roomId, signal);
    const open = type === 'm.reaction' || this.#mayBeOpen(encryption);
    const [sentType, body] = open
      ? [type, fitting(content, maxEventBytes)]
      : ['m.room.encrypted', await this.#encrypt(roomId, type, content, encryption, signal)];
    const where = path`/client/v3/rooms/${roomId}/send/${sentType}/${transaction(key)}`;
    const ask = async () => await api.call('PUT', where, wire.sent, { signal, body });
    try {
      return (await ask()).event_id;
    } catch (error) {
      // The name of the transaction makes a second attempt harmless.
      if (!(error instanceof NotAnswered) || !error.mayHaveArrived || signal.aborted) throw error;
      return (await ask()).event_id;
    }
  }

  async redact(roomId: string, eventId: string, signal: AbortSignal): Promise<void> {
    await this.#options.ready(signal);
    const where = path`/client/v3/rooms/${roomId}/redact/${eventId}/${transaction(`redact ${eventId}`)}`;
    await this.#options.api.call('PUT', where, z.unknown(), { signal });
  }

  /** True when what is uploaded for the room has to be encrypted first. */
  async encrypts(roomId: string, signal: AbortSignal): Promise<boolean> {
    await this.#options.ready(signal);
    const encryption = await this.#options.rooms.encryption(roomId, signal);
    return !this.#mayBeOpen(encryption);
  }

  #mayBeOpen(encryption: wire.RoomEncryption | undefined): boolean {
    const { mode } = this.#options;
    if (encryption === undefined && mode === 'required')
      throw new NotSendable('forbidden', 'The room is not encrypted, and MATRIX_E2EE_MODE is required.');
    return encryption === undefined;
  }

  async #encrypt(
    roomId: string,
    type: string,
    content: object,
    encryption: wire.RoomEncryption | undefined,
    signal: AbortSignal,
  ): Promise<string> {
    const machine = this.#options.machine();
    if (machine === undefined && this.#options.ended())
      throw new NotSendable('transient', 'The gateway is being stopped.');
    if (encryption === undefined || machine === undefined) {
      const what = this.#options.mode === 'off' ? 'MATRIX_E2EE_MODE is off' : 'only the running gateway has the keys';
      throw new NotSendable('unsupported', `The room is encrypted, and ${what}.`);
    }
    const members = (await this.#options.rooms.members(roomId, signal)).map(({ id }) => id);
    const given = { roomId, type, content: fitting(content, maxEncryptedBytes), members, encryption };
    return await machine.encrypt(given, signal);
  }
}

/** Never throws. */
export async function delivering(deliver: () => Promise<string>): Promise<SendResult> {
  try {
    return { ok: true, messageId: await deliver() };
  } catch (error) {
    return notSent(error);
  }
}

export function isEventId(id: string | null | undefined): id is string {
  return id?.startsWith('$') === true;
}

/** A text that is too long with its markup goes without; the markup says nothing that the text does not. */
function fitting(content: object, most: number): string {
  const whole = JSON.stringify(content);
  if (Buffer.byteLength(whole) <= most) return whole;
  const bare = JSON.stringify(content, (key, value: unknown) =>
    key === 'formatted_body' || key === 'format' ? undefined : value,
  );
  if (Buffer.byteLength(bare) > most) throw new ApiError(413, 'M_TOO_LARGE', 'the message is too long');
  return bare;
}

function transaction(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32);
}
