/** The account's device in encrypted rooms: its keys, and those of everybody it talks to. */
import type * as Library from '@matrix-org/matrix-sdk-crypto-wasm';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import pLimit from 'p-limit';
import * as z from 'zod';
import { parseJson } from '../../../../lib/json.ts';
import type { Log } from '../../../../lib/log.ts';
import { PlatformError } from '../../../platform/platform-error.ts';
import type { MatrixApi } from '../api.ts';
import { NotSendable } from '../errors.ts';
import { type MatrixEvent, type RoomEncryption, type SyncAnswer, userId } from '../wire.ts';
import { KeyStore } from './durable-indexed-db.ts';
import type { KeyBackup } from './key-backup.ts';
import { Requests } from './requests.ts';
import { type PutInRoom, Verifications } from './verifications.ts';

export interface MachineOptions {
  readonly folder: string;
  readonly userId: string;
  readonly deviceId: string;
  readonly api: MatrixApi;
  readonly log: Log;
  readonly putInRoom: PutInRoom;
}

/** What makes the device a trusted one. */
export interface Recovery {
  readonly recoveryKey: string | undefined;
  /** For the key of an account that has none yet. */
  readonly outputFile: string | undefined;
  readonly password: string | undefined;
}

/** Keys of rooms that have come, by room. */
export type OnKeys = (roomIds: ReadonlySet<string>) => void;

/** `missing`: the key has not come yet. `forged`: somebody else has encrypted it than the homeserver says. */
export type Decrypted =
  | { readonly as: 'event'; readonly event: MatrixEvent }
  | { readonly as: 'missing' }
  | { readonly as: 'forged' };

const decryptedEvent = z.object({ type: z.string(), content: z.looseObject({}) });

export class Machine {
  readonly verifications: Verifications;
  readonly #options: MachineOptions;
  readonly #library: typeof Library;
  readonly #machine: Library.OlmMachine;
  readonly #store: KeyStore;
  /** One conversation with the server at a time, as requests build on each other. */
  readonly #inTurn = pLimit(1);
  readonly #requests: Requests;
  #backup: KeyBackup | undefined;
  #closed = false;

  /** The device and its keys are those of the last time. */
  static async open(options: MachineOptions): Promise<Machine> {
    const library = await import('@matrix-org/matrix-sdk-crypto-wasm');
    await library.initAsync();
    const { folder, userId, deviceId } = options;
    const name = createHash('sha256').update(`${userId} ${deviceId}`).digest('hex').slice(0, 16);
    const file = join(folder, `${name}.sqlite`);
    const store = await opened(file);
    try {
      const machine = await library.OlmMachine.initialize(
        new library.UserId(userId),
        new library.DeviceId(deviceId),
        file,
        undefined,
        quiet(options.log),
      );
      await store.flush();
      return new Machine(options, library, machine, store);
    } catch (error) {
      store.close();
      throw isPassing(error) ? error : damaged(file, error);
    }
  }

  private constructor(options: MachineOptions, library: typeof Library, machine: Library.OlmMachine, store: KeyStore) {
    this.#options = options;
    this.#library = library;
    this.#machine = machine;
    this.#store = store;
    this.#requests = new Requests({ library, machine, api: options.api, flush: async () => await store.flush() });
    const { log, putInRoom } = options;
    const inTurn = async <T>(body: () => Promise<T>): Promise<T> => await this.#inTurn(body);
    this.verifications = new Verifications({ library, machine, requests: this.#requests, log, putInRoom, inTurn });
  }

  /** The public key by which people know the device. */
  get fingerprint(): string {
    return this.#machine.identityKeys.ed25519.toBase64();
  }

  onKeys(told: OnKeys): void {
    this.#machine.registerRoomKeyUpdatedCallback((infos) => {
      told(new Set(infos.map(({ roomId }) => roomId.toString())));
      return Promise.resolve();
    });
  }

  /**
   * What came with an answer of /sync; safe when it resolves, so that the answer can be acknowledged. Returns what was said
   * to the device, decrypted.
   */
  async receive(answer: SyncAnswer): Promise<readonly unknown[]> {
    const { DeviceLists, UserId } = this.#library;
    const { changed, left } = answer.device_lists;
    // One id that is none must not stop all others.
    const users = (ids: readonly string[]) => ids.filter(isUserId).map((id) => new UserId(id));
    const unused = answer.device_unused_fallback_key_types;
    return await this.#inTurn(async () => {
      const received = await this.#machine.receiveSyncChanges(
        JSON.stringify(answer.to_device.events),
        new DeviceLists(users(changed), users(left)),
        new Map(Object.entries(answer.device_one_time_keys_count)),
        unused === undefined ? undefined : new Set(unused),
        this.#trust(),
      );
      await this.#store.flush();
      return received.map(({ rawEvent }) => parseJson(rawEvent));
    });
  }

  /** Sends what the device has to say: its own keys, and questions about those of others. */
  async settle(signal: AbortSignal): Promise<void> {
    await this.#inTurn(async () => {
      await this.#requests.settle(signal);
      await this.#backup?.upload(signal);
    });
  }

  /** Has the account sign the device, and finds the copy of keys. Throws `PlatformError` for what the operator has to change. */
  async recover(given: Recovery, signal: AbortSignal): Promise<void> {
    const { recover } = await import('./recovery.ts');
    const { api, log, userId, deviceId } = this.#options;
    const [library, machine, requests] = [this.#library, this.#machine, this.#requests];
    await this.#inTurn(async () => {
      this.#backup = await recover({ ...given, library, machine, requests, api, log, userId, deviceId }, signal);
      await this.#store.flush();
    });
  }

  /** With the key from the copy on the homeserver, where it did not come otherwise. */
  async decrypt(event: MatrixEvent, roomId: string, signal: AbortSignal): Promise<Decrypted> {
    const decrypted = await this.#decrypt(event, roomId);
    const sessionId = event.content['session_id'];
    const backup = this.#backup;
    if (decrypted.as !== 'missing' || backup === undefined || typeof sessionId !== 'string') return decrypted;
    const found = await this.#inTurn(async () => {
      const fetched = await backup.fetch(roomId, sessionId, signal);
      if (fetched) await this.#store.flush();
      return fetched;
    });
    return found ? await this.#decrypt(event, roomId) : decrypted;
  }

  async #decrypt(event: MatrixEvent, roomId: string): Promise<Decrypted> {
    const { RoomId, MegolmDecryptionError, ShieldStateCode } = this.#library;
    try {
      const found = await this.#machine.decryptRoomEvent(JSON.stringify(event), new RoomId(roomId), this.#trust());
      if (found.shieldState(false).code === ShieldStateCode.MismatchedSender) {
        this.#options.log.warning(`a message of ${roomId} is left alone: ${event.sender} has not encrypted it`);
        return { as: 'forged' };
      }
      const { type, content } = decryptedEvent.parse(parseJson(found.event));
      // Relations stand outside of what is encrypted.
      const relation = event.content['m.relates_to'];
      const whole = relation === undefined ? content : { 'm.relates_to': relation, ...content };
      return { as: 'event', event: { ...event, type, content: whole } };
    } catch (error) {
      if (!(error instanceof MegolmDecryptionError)) throw error;
      this.#options.log.debug(`a message of ${roomId} could not be decrypted: ${error.description}`);
      return { as: 'missing' };
    }
  }

  /** The content of an `m.room.encrypted` event that the devices of all members can read. */
  async encrypt(
    given: {
      readonly roomId: string;
      readonly type: string;
      /** JSON. */
      readonly content: string;
      readonly members: readonly string[];
      readonly encryption: RoomEncryption;
    },
    signal: AbortSignal,
  ): Promise<string> {
    const { RoomId, UserId } = this.#library;
    const users = () => given.members.filter(isUserId).map((id) => new UserId(id));
    return await this.#inTurn(async () => {
      if (this.#closed) throw new NotSendable('transient', 'The gateway is being stopped.');
      await this.#machine.updateTrackedUsers(users());
      await this.#requests.settle(signal);
      const claim = await this.#machine.getMissingSessions(users());
      if (claim !== null) await this.#requests.send(claim, signal);
      const room = new RoomId(given.roomId);
      for (const request of await this.#machine.shareRoomKey(room, users(), this.#settings(given.encryption)))
        await this.#requests.send(request, signal);
      const encrypted = await this.#machine.encryptRoomEvent(room, given.type, given.content);
      // The same key must not be used twice, so the next one is on the disk before this one is used.
      await this.#store.flush();
      return encrypted;
    });
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#store.flush();
      this.#closed = true;
    });
    this.#machine.close();
    this.#store.close();
  }

  #trust(): Library.DecryptionSettings {
    return new this.#library.DecryptionSettings(this.#library.TrustRequirement.Untrusted);
  }

  #settings({ rotation_period_ms: ms, rotation_period_msgs: count }: RoomEncryption): Library.EncryptionSettings {
    const settings = new this.#library.EncryptionSettings();
    settings.sharingStrategy = this.#library.CollectStrategy.allDevices();
    if (ms !== undefined) settings.rotationPeriod = BigInt(Math.floor(ms)) * 1000n;
    if (count !== undefined) settings.rotationPeriodMessages = BigInt(Math.floor(count));
    return settings;
  }
}

function isUserId(id: string): boolean {
  return userId.safeParse(id).success;
}

async function opened(file: string): Promise<KeyStore> {
  try {
    return await KeyStore.open(file, file);
  } catch (error) {
    throw isPassing(error) ? error : damaged(file, error);
  }
}

/** SQLite's codes for what may be better the next time: busy, locked, no memory, read-only, input and output, full, not opened. */
function isPassing(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) % 256 : undefined;
  return code !== undefined && [5, 6, 7, 8, 10, 13, 14].includes(code);
}

function damaged(file: string, cause: unknown): PlatformError {
  const message = `The keys of the bot's device cannot be read: ${file} is damaged. Bring it back from a backup; or move it away, log out that session of the bot, and start with a new access token (or its password and no MATRIX_DEVICE_ID).`;
  return new PlatformError('matrix_damaged_keys', message, { retryable: false, cause });
}

/** The library tells a lot, ids of keys too. */
function quiet(log: Log): Library.JsLogger {
  return {
    debug: () => undefined,
    info: () => undefined,
    warn: (data: unknown) => log.debug(`encryption: ${String(data)}`),
    error: (data: unknown) => log.debug(`encryption: ${String(data)}`),
  };
}
