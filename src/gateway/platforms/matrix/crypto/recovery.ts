/**
 * Makes the device one that others trust, and finds the copy of keys: with the recovery key of the account, or with a new
 * one for an account that has none. https://spec.matrix.org/latest/client-server-api/#cross-signing
 */
import type * as Library from '@matrix-org/matrix-sdk-crypto-wasm';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { errorCode } from '../../../../lib/errors.ts';
import { parseJson } from '../../../../lib/json.ts';
import { PlatformError } from '../../../platform/platform-error.ts';
import { ApiError } from '../errors.ts';
import { KeyBackup, type KeyBackupOptions } from './key-backup.ts';
import { readRecoveryKey, writeRecoveryKey } from './recovery-key.ts';
import { SecretStorage } from './secret-storage.ts';

export interface RecoveryOptions extends KeyBackupOptions {
  readonly userId: string;
  readonly deviceId: string;
  readonly recoveryKey: string | undefined;
  /** Where a new key is written, once. */
  readonly outputFile: string | undefined;
  readonly password: string | undefined;
}

const secrets = {
  master: 'm.cross_signing.master',
  selfSigning: 'm.cross_signing.self_signing',
  userSigning: 'm.cross_signing.user_signing',
  backup: 'm.megolm_backup.v1',
} as const;

const ownKeys = z.object({ master_keys: z.record(z.string(), z.unknown()).default({}) });

/** The copy of keys, where there is one. Throws `PlatformError` for what the operator has to change. */
export async function recover(options: RecoveryOptions, signal: AbortSignal): Promise<KeyBackup | undefined> {
  const { recoveryKey, outputFile, library, machine, requests, userId } = options;
  // What the account has is asked for before something is made.
  await requests.send(machine.queryKeysForUsers([new library.UserId(userId)]), signal);
  if (recoveryKey !== undefined) {
    const key = readRecoveryKey(recoveryKey);
    if (key === undefined) throw wrongKey('is no recovery key, or has a letter that is wrong');
    return await restore(key, options, signal);
  }
  return outputFile === undefined ? await KeyBackup.known(options, signal) : await keepIn(outputFile, options, signal);
}

async function restore(key: Uint8Array, options: RecoveryOptions, signal: AbortSignal): Promise<KeyBackup | undefined> {
  const { api, userId, log } = options;
  const storage = await SecretStorage.open(api, userId, key, signal);
  if (storage === 'wrong') throw wrongKey('is not the recovery key of this account');
  if (storage === 'none') throw wrongKey('is set, but the account has no recovery key');
  if (await isTrusted(options)) log.debug('the device is signed already');
  else await sign(storage, options, signal);
  const backup = await storage.get(secrets.backup, signal);
  return backup === undefined ? undefined : await KeyBackup.open(options, backup, signal);
}

/** An account without keys of its own gets them; what was begun and broke off goes on with the key that was written. */
async function keepIn(file: string, options: RecoveryOptions, signal: AbortSignal): Promise<KeyBackup | undefined> {
  const { machine, log } = options;
  const published = await isPublished(options, signal);
  const written = keyIn(file);
  if (published && written === undefined) {
    log.warning('the account has a recovery key already, so none is made; put it into MATRIX_RECOVERY_KEY');
    return await KeyBackup.known(options, signal);
  }
  const { hasMaster } = await machine.crossSigningStatus();
  if (published && written !== undefined && !hasMaster) return await restore(written, options, signal);
  // Before anything is made that only this key opens.
  const key = written ?? newKeyIn(file);
  if (!published) await begin(options, signal);
  return await fill(key, options, signal);
}

async function begin({ machine, requests, library, ...options }: RecoveryOptions, signal: AbortSignal): Promise<void> {
  const made = await machine.bootstrapCrossSigning(true);
  const upload: unknown = made.uploadKeysRequest;
  if (upload instanceof library.KeysUploadRequest) await requests.send(upload, signal);
  await publish(made.uploadSigningKeysRequest, options, signal);
  await requests.send(made.uploadSignaturesRequest, signal);
}

/** Puts what is not there yet under the key. */
async function fill(key: Uint8Array, options: RecoveryOptions, signal: AbortSignal): Promise<KeyBackup | undefined> {
  const { api, machine, userId, log } = options;
  const found = await SecretStorage.open(api, userId, key, signal);
  if (found === 'wrong') throw wrongKey('is not set, and the account keeps its secrets under another key');
  const storage = found === 'none' ? await SecretStorage.create(api, userId, key, signal) : found;
  const keys = await machine.exportCrossSigningKeys();
  for (const [name, value] of [
    [secrets.master, keys?.masterKey],
    [secrets.selfSigning, keys?.self_signing_key],
    [secrets.userSigning, keys?.userSigningKey],
  ] as const)
    if (value !== undefined && (await storage.get(name, signal)) === undefined) await storage.set(name, value, signal);
  const known = await storage.get(secrets.backup, signal);
  const opened = known === undefined ? undefined : await KeyBackup.open(options, known, signal);
  if (opened !== undefined) return opened;
  const { backup, secret } = await KeyBackup.create(options, signal);
  await storage.set(secrets.backup, secret, signal);
  log.info('a recovery key was made for the account; keep the file where only you can read it');
  return backup;
}

async function sign(storage: SecretStorage, options: RecoveryOptions, signal: AbortSignal): Promise<void> {
  const { library, machine, requests, userId, deviceId, log } = options;
  const [master, selfSigning, userSigning] = [
    await storage.get(secrets.master, signal),
    await storage.get(secrets.selfSigning, signal),
    await storage.get(secrets.userSigning, signal),
  ];
  if (master === undefined || selfSigning === undefined || userSigning === undefined)
    return log.warning('what is needed to sign the device is not among the secrets of the account');
  const { hasMaster, hasSelfSigning } = await machine.importCrossSigningKeys(master, selfSigning, userSigning);
  if (!hasMaster || !hasSelfSigning) throw wrongKey('opens keys that are not those of the account any more');
  const device = await machine.getDevice(new library.UserId(userId), new library.DeviceId(deviceId));
  if (device === undefined)
    return log.warning('the homeserver does not know the device of the bot, so it is not signed');
  await requests.send(await device.verify(), signal);
  log.info(`the device ${deviceId} is signed by its account`);
}

/** Some homeservers want the password for this. */
async function publish(
  { body }: Library.UploadSigningKeysRequest,
  { api, userId, password }: Pick<RecoveryOptions, 'api' | 'userId' | 'password'>,
  signal: AbortSignal,
): Promise<void> {
  const upload = async (auth?: object): Promise<void> => {
    const keys = z.looseObject({}).parse(parseJson(body));
    const whole = auth === undefined ? keys : { ...keys, auth };
    await api.call('POST', '/client/v3/keys/device_signing/upload', z.unknown(), { signal, body: whole });
  };
  try {
    await upload();
  } catch (error) {
    const session = error instanceof ApiError ? error.session : undefined;
    if (session === undefined) throw error;
    if (password === undefined) throw needsPassword(error);
    await upload({ type: 'm.login.password', identifier: { type: 'm.id.user', user: userId }, password, session });
  }
}

async function ownIdentity({
  library,
  machine,
  userId,
}: RecoveryOptions): Promise<Library.OwnUserIdentity | undefined> {
  const identity = await machine.getIdentity(new library.UserId(userId));
  return identity instanceof library.OwnUserIdentity ? identity : undefined;
}

/** The account has signed the device, and the device knows the account's keys. */
async function isTrusted(options: RecoveryOptions): Promise<boolean> {
  const identity = await ownIdentity(options);
  if (identity === undefined || !(await identity.trustsOurOwnDevice())) return false;
  const { hasMaster, hasSelfSigning } = await options.machine.crossSigningStatus();
  return hasMaster && hasSelfSigning;
}

/** The homeserver has keys of the account itself, not of its devices alone. */
async function isPublished({ api, userId }: RecoveryOptions, signal: AbortSignal): Promise<boolean> {
  const body = { device_keys: { [userId]: [] } };
  const found = await api.call('POST', '/client/v3/keys/query', ownKeys, { signal, body });
  return found.master_keys[userId] !== undefined;
}

/** Undefined when nothing stands there. */
function keyIn(file: string): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw wrongFile(file, 'cannot be read', error);
  }
  const key = readRecoveryKey(text);
  if (key === undefined) throw wrongFile(file, 'holds something else and is not overwritten');
  return key;
}

function newKeyIn(file: string): Uint8Array {
  const key = randomBytes(32);
  try {
    writeFileSync(file, `${writeRecoveryKey(key)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    return key;
  } catch (error) {
    throw wrongFile(file, 'cannot be written', error);
  }
}

function wrongFile(file: string, why: string, cause?: unknown): PlatformError {
  const message = `${file} (MATRIX_RECOVERY_KEY_OUTPUT_FILE) ${why}; name another file for the new recovery key, or put the one you have into MATRIX_RECOVERY_KEY.`;
  return new PlatformError('matrix_recovery_file', message, { retryable: false, cause });
}

function wrongKey(why: string): PlatformError {
  const message = `MATRIX_RECOVERY_KEY ${why}. Element shows it once, when secure backup is set up; put that one there, or take the setting away.`;
  return new PlatformError('matrix_wrong_recovery_key', message, { retryable: false });
}

function needsPassword(cause: unknown): PlatformError {
  const message =
    'The homeserver wants the password of the account before it takes keys: set MATRIX_USER_ID and MATRIX_PASSWORD for the first start with MATRIX_RECOVERY_KEY_OUTPUT_FILE.';
  return new PlatformError('matrix_needs_password', message, { retryable: false, cause });
}
