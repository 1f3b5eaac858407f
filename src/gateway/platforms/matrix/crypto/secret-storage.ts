/** Secrets of the account that lie on the homeserver, encrypted with the recovery key. https://spec.matrix.org/latest/client-server-api/#secret-storage */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { type MatrixApi, path } from '../api.ts';
import { ApiError } from '../errors.ts';

const algorithm = 'm.secret_storage.v1.aes-hmac-sha2';
const defaultKey = z.object({ key: z.string() });
const keyDescription = z.object({
  algorithm: z.literal(algorithm),
  iv: z.string().optional(),
  mac: z.string().optional(),
});
const sealed = z.object({ iv: z.string(), ciphertext: z.string(), mac: z.string() });
const secret = z.object({ encrypted: z.record(z.string(), z.unknown()) });

type Sealed = z.infer<typeof sealed>;

/** What a key is checked with. */
const zeros = Buffer.alloc(32);

export class SecretStorage {
  readonly #api: MatrixApi;
  readonly #userId: string;
  readonly #keyId: string;
  readonly #key: Uint8Array;

  private constructor(api: MatrixApi, userId: string, keyId: string, key: Uint8Array) {
    this.#api = api;
    this.#userId = userId;
    this.#keyId = keyId;
    this.#key = key;
  }

  /** `none`: the account has no such storage. `wrong`: this is not its key. */
  static async open(
    api: MatrixApi,
    userId: string,
    key: Uint8Array,
    signal: AbortSignal,
  ): Promise<SecretStorage | 'none' | 'wrong'> {
    const chosen = await accountData(api, userId, 'm.secret_storage.default_key', defaultKey, signal);
    if (chosen === undefined) return 'none';
    const about = await accountData(api, userId, `m.secret_storage.key.${chosen.key}`, keyDescription, signal);
    if (about === undefined) return 'none';
    const { iv, mac } = about;
    // Without them a key cannot be checked but by what it opens.
    if (iv !== undefined && mac !== undefined && !isSame(seal(zeros, key, '', bytesOf(iv)).mac, mac)) return 'wrong';
    return new SecretStorage(api, userId, chosen.key, key);
  }

  /** Makes it the storage of the account. */
  static async create(api: MatrixApi, userId: string, key: Uint8Array, signal: AbortSignal): Promise<SecretStorage> {
    const keyId = randomBytes(16).toString('hex');
    const { iv, mac } = seal(zeros, key, '');
    await setAccountData(api, userId, `m.secret_storage.key.${keyId}`, { algorithm, iv, mac }, signal);
    await setAccountData(api, userId, 'm.secret_storage.default_key', { key: keyId }, signal);
    return new SecretStorage(api, userId, keyId, key);
  }

  /** Undefined for a secret that is not there, or was changed. */
  async get(name: string, signal: AbortSignal): Promise<string | undefined> {
    const found = await accountData(this.#api, this.#userId, name, secret, signal);
    const { data } = sealed.safeParse(found?.encrypted[this.#keyId]);
    return data === undefined ? undefined : open(data, this.#key, name)?.toString('utf8');
  }

  async set(name: string, value: string, signal: AbortSignal): Promise<void> {
    const encrypted = { [this.#keyId]: seal(Buffer.from(value), this.#key, name) };
    await setAccountData(this.#api, this.#userId, name, { encrypted }, signal);
  }
}

async function accountData<T>(
  api: MatrixApi,
  userId: string,
  type: string,
  schema: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    const found = await api.call('GET', path`/client/v3/user/${userId}/account_data/${type}`, z.unknown(), { signal });
    return schema.safeParse(found).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'M_NOT_FOUND') return undefined;
    throw error;
  }
}

async function setAccountData(
  api: MatrixApi,
  userId: string,
  type: string,
  body: object,
  signal: AbortSignal,
): Promise<void> {
  await api.call('PUT', path`/client/v3/user/${userId}/account_data/${type}`, z.unknown(), { signal, body });
}

function seal(plain: Buffer, key: Uint8Array, name: string, iv = freshIv()): Sealed {
  const { aes, mac } = keysFor(key, name);
  const cipher = createCipheriv('aes-256-ctr', aes, iv);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  return {
    iv: iv.toString('base64'),
    ciphertext: ciphertext.toString('base64'),
    mac: createHmac('sha256', mac).update(ciphertext).digest('base64'),
  };
}

function open({ iv, ciphertext, mac }: Sealed, key: Uint8Array, name: string): Buffer | undefined {
  const keys = keysFor(key, name);
  const bytes = bytesOf(ciphertext);
  const start = bytesOf(iv);
  if (start.length !== 16 || !isSame(createHmac('sha256', keys.mac).update(bytes).digest('base64'), mac))
    return undefined;
  const decipher = createDecipheriv('aes-256-ctr', keys.aes, start);
  return Buffer.concat([decipher.update(bytes), decipher.final()]);
}

function keysFor(key: Uint8Array, name: string): { readonly aes: Buffer; readonly mac: Buffer } {
  const derived = Buffer.from(hkdfSync('sha256', key, zeros, name, 64));
  return { aes: derived.subarray(0, 32), mac: derived.subarray(32) };
}

/** One bit is left out for programs that count differently. */
function freshIv(): Buffer {
  const iv = randomBytes(16);
  iv.writeUInt8(iv.readUInt8(8) & 0x7f, 8);
  return iv;
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

function isSame(given: string, wanted: string): boolean {
  const [left, right] = [bytesOf(given), bytesOf(wanted)];
  return left.length === right.length && timingSafeEqual(left, right);
}
