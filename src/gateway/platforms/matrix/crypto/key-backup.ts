/** The keys of rooms on the homeserver, encrypted: a new device reads with them what was said before it. https://spec.matrix.org/latest/client-server-api/#server-side-key-backups */
import type * as Library from '@matrix-org/matrix-sdk-crypto-wasm';
import * as z from 'zod';
import type { Log } from '../../../../lib/log.ts';
import { parseJson } from '../../../../lib/json.ts';
import { type MatrixApi, path } from '../api.ts';
import { NotAnswered } from '../../../platform/http-answers.ts';
import { ApiError } from '../errors.ts';
import { Recent } from '../recent.ts';
import type { Requests } from './requests.ts';

export interface KeyBackupOptions {
  readonly library: typeof Library;
  readonly machine: Library.OlmMachine;
  readonly api: MatrixApi;
  readonly requests: Requests;
  readonly log: Log;
}

const algorithm = 'm.megolm_backup.v1.curve25519-aes-sha2';
const versionSchema = z.object({
  algorithm: z.string(),
  version: z.string(),
  auth_data: z.looseObject({ public_key: z.string() }),
});
const storedKey = z.object({
  session_data: z.object({ ephemeral: z.string(), mac: z.string(), ciphertext: z.string() }),
});
const anything = z.looseObject({});
const created = z.object({ version: z.string() });

const maxMissing = 1000;
/** Keys of a hundred rooms a round; the rest comes with the next answer. */
const maxUploads = 20;

export class KeyBackup {
  readonly #options: KeyBackupOptions;
  readonly #key: Library.BackupDecryptionKey;
  readonly #version: string;
  readonly #missing = new Recent<true>(maxMissing);
  #isCurrent = true;

  private constructor(options: KeyBackupOptions, key: Library.BackupDecryptionKey, version: string) {
    this.#options = options;
    this.#key = key;
    this.#version = version;
  }

  /** Undefined when the account has no copy, or one that this key does not open. `secret`: base64. */
  static async open(options: KeyBackupOptions, secret: string, signal: AbortSignal): Promise<KeyBackup | undefined> {
    const { api, library, machine, log } = options;
    const latest = await latestVersion(api, signal);
    if (latest === undefined) return undefined;
    const key = library.BackupDecryptionKey.fromBase64(secret);
    const { publicKeyBase64: publicKey } = key.megolmV1PublicKey;
    if (latest.algorithm !== algorithm || unpadded(latest.auth_data.public_key) !== unpadded(publicKey)) {
      log.warning('the copy of keys on the homeserver is of another key, and is not used');
      return undefined;
    }
    const { version } = latest;
    await machine.saveBackupDecryptionKey(key, version);
    await machine.enableBackupV1(publicKey, version);
    return new KeyBackup(options, key, version);
  }

  /** A new one, empty; with it the secret that opens it. */
  static async create(
    options: KeyBackupOptions,
    signal: AbortSignal,
  ): Promise<{ readonly backup: KeyBackup; readonly secret: string }> {
    const { api, library, machine } = options;
    const key = library.BackupDecryptionKey.createRandomKey();
    const { publicKeyBase64: publicKey } = key.megolmV1PublicKey;
    const signatures = await machine.sign(JSON.stringify({ public_key: publicKey }));
    const body = { algorithm, auth_data: { public_key: publicKey, signatures: parseJson(signatures.asJSON()) } };
    const { version } = await api.call('POST', '/client/v3/room_keys/version', created, { signal, body });
    await machine.saveBackupDecryptionKey(key, version);
    await machine.enableBackupV1(publicKey, version);
    return { backup: new KeyBackup(options, key, version), secret: key.toBase64() };
  }

  /** The one that an earlier process has found or made. */
  static async known(options: KeyBackupOptions, signal: AbortSignal): Promise<KeyBackup | undefined> {
    const { decryptionKeyBase64: secret } = await options.machine.getBackupKeys();
    return secret === undefined ? undefined : await KeyBackup.open(options, secret, signal);
  }

  /** True when the key of a session of messages was there, and is now known. */
  async fetch(roomId: string, sessionId: string, signal: AbortSignal): Promise<boolean> {
    const { api, library, machine, log } = this.#options;
    const name = `${roomId} ${sessionId}`;
    if (!this.#isCurrent || this.#missing.get(name) !== undefined) return false;
    try {
      const where = path`/client/v3/room_keys/keys/${roomId}/${sessionId}`;
      const query = { version: this.#version };
      const { session_data: data } = await api.call('GET', where, storedKey, { signal, query });
      const opened = anything.parse(parseJson(this.#key.decryptV1(data.ephemeral, data.mac, data.ciphertext)));
      const keys = new Map([[new library.RoomId(roomId), new Map([[sessionId, opened]])]]);
      await machine.importBackedUpRoomKeys(keys, () => undefined, this.#version);
      return true;
    } catch (error) {
      signal.throwIfAborted();
      // The homeserver is not asked for every message of a session that it does not have.
      if (!(error instanceof NotAnswered)) this.#missing.set(name, true);
      log.debug(`the copy of keys does not open messages of ${roomId}`, error);
      return false;
    }
  }

  /** Keys that came since the last time. Nothing is lost when it fails: they are tried again. */
  async upload(signal: AbortSignal): Promise<void> {
    const { machine, requests, log } = this.#options;
    for (let count = 0; this.#isCurrent && count < maxUploads; count += 1) {
      const request = await machine.backupRoomKeys();
      if (request === undefined) return;
      try {
        await requests.send(request, signal);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'M_WRONG_ROOM_KEYS_VERSION') throw error;
        this.#isCurrent = false;
        await machine.disableBackup();
        log.warning('another program has replaced the copy of keys on the homeserver; this one does not go on with it');
      }
    }
  }
}

async function latestVersion(api: MatrixApi, signal: AbortSignal): Promise<z.infer<typeof versionSchema> | undefined> {
  try {
    return await api.call('GET', '/client/v3/room_keys/version', versionSchema, { signal });
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'M_NOT_FOUND' || error.status === 200)) return undefined;
    throw error;
  }
}

function unpadded(base64: string): string {
  return base64.replace(/(?<!=)=+$/, '');
}
