/** `auth.json` of a home: logins and keys, shared by all its processes and with the program the home came from. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { errorCode, errorMessage, UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';
import { type PoolEntry, parseEntry } from './pool-entry.ts';

const fileSchema = z.looseObject({
  version: z.json().optional(),
  active_provider: z.json().optional(),
  updated_at: z.json().optional(),
  providers: z.record(z.string(), z.json()).nullish(),
  credential_pool: z.record(z.string(), z.json()).nullish(),
  suppressed_sources: z.json().optional(),
});

/** The whole file. What we do not know is kept as it is. */
export type AuthFile = z.infer<typeof fileSchema>;

/**
 * The logins and pools in `auth.json`, which all processes of a home share.
 *
 * @example
 * await store.update((file) => {
 *   file.providers = { ...file.providers, nous: { access_token: token } };
 * });
 */
export interface AuthStore {
  /** Absolute path of `auth.json`. */
  readonly path: string;
  /** As it is on disk now; `{version: 1}` when there is none. Not to be changed. Throws `UserError` when damaged. */
  read(): Readonly<AuthFile>;
  /**
   * Changes the file while no other process can: `mutate` gets it fresh from disk. Nothing is written when nothing
   * changed or `mutate` throws. Throws `UserError` when the file is damaged, cannot be written, or stays locked.
   */
  update<T>(mutate: (file: AuthFile) => T, signal?: AbortSignal): Promise<T>;
  /** The provider whose login was used last. */
  activeProvider(): string | undefined;
  /** What a login left under `providers.<id>`. */
  providerState(id: string): Readonly<JsonObject> | undefined;
  /** Forgets the login and the whole pool of a provider; false when there was nothing. */
  clearProvider(id: string): Promise<boolean>;
  /** The stored credentials of `<provider>` or `custom:<name>`, by priority. */
  poolOf(id: string): readonly PoolEntry[];
}

/** The file at `path`; its lock is `auth.lock` beside it. Nothing is read or made before it is asked. */
export class FileAuthStore implements AuthStore {
  readonly path: string;
  /** Parsed again only after the file changed: pools ask before every request. */
  #known: { readonly stamp: string; readonly file: AuthFile } | undefined;

  constructor(path: string) {
    this.path = path;
  }

  read(): Readonly<AuthFile> {
    const stamp = stampOf(this.path);
    if (this.#known?.stamp !== stamp) this.#known = { stamp, file: stamp === missing ? empty() : load(this.path) };
    return this.#known.file;
  }

  async update<T>(mutate: (file: AuthFile) => T, signal?: AbortSignal): Promise<T> {
    const change = (): T => {
      const file = stampOf(this.path) === missing ? empty() : load(this.path);
      const before = JSON.stringify(file);
      const result = mutate(file);
      if (JSON.stringify(file) === before) return result;
      file.version ??= 1;
      file.updated_at = new Date().toISOString();
      save(this.path, file);
      this.#known = undefined;
      return result;
    };
    return await withFileLock(join(dirname(this.path), 'auth.lock'), change, signal === undefined ? {} : { signal });
  }

  activeProvider(): string | undefined {
    const active = this.read().active_provider;
    return typeof active === 'string' && active !== '' ? active : undefined;
  }

  providerState(id: string): Readonly<JsonObject> | undefined {
    const state = own(this.read().providers, id);
    return isJsonObject(state) ? state : undefined;
  }

  async clearProvider(id: string): Promise<boolean> {
    return await this.update((file) => {
      const found = own(file.providers, id) !== undefined || own(file.credential_pool, id) !== undefined;
      if (file.providers) delete file.providers[id];
      if (file.credential_pool) delete file.credential_pool[id];
      if (file.active_provider === id) file.active_provider = null;
      return found;
    });
  }

  poolOf(id: string): readonly PoolEntry[] {
    return entriesIn(this.read(), id);
  }
}

/** The credentials of one pool of a file, by priority; what is no entry is passed over. */
export function entriesIn(file: Readonly<AuthFile>, id: string): PoolEntry[] {
  const pool = own(file.credential_pool, id);
  if (!Array.isArray(pool)) return [];
  const entries = pool.flatMap((value) => parseEntry(value) ?? []);
  return entries.sort((one, other) => one.priority - other.priority);
}

const missing = 'missing';
/** No login file comes near; something else has been put in its place. */
const maxBytes = 16 * 1024 * 1024;

function empty(): AuthFile {
  return { version: 1 };
}

/** A replaced file has another inode, one written in place another time or size. */
function stampOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return missing;
    if (found.size > maxBytes) throw damaged(path, 'it is far too large');
    return `${found.ino} ${found.mtimeNs} ${found.size}`;
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return missing;
    throw asUserError(error, `${path} cannot be read`);
  }
}

function load(path: string): AuthFile {
  const value = parseJson(readText(path));
  if (value === undefined) throw damaged(path, 'it is not JSON');
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) {
    throw damaged(path, `'${parsed.error.issues[0]?.path.join('.') ?? ''}' is not what it should be`);
  }
  return parsed.data;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw asUserError(error, `${path} cannot be read`);
  }
}

function save(path: string, file: AuthFile): void {
  try {
    writeFileAtomic(path, `${JSON.stringify(file, undefined, 2)}\n`);
  } catch (error) {
    throw asUserError(error, `${path} cannot be written`);
  }
}

function damaged(path: string, why: string): UserError {
  return new UserError(`The stored logins in ${path} cannot be used: ${why}.`, {
    hint: 'It was left as it is. Repair it, or move it away and log in again with `hermes auth add <provider>`.',
  });
}

function asUserError(error: unknown, what: string): UserError {
  if (error instanceof UserError) return error;
  return new UserError(`${what}: ${errorMessage(error)}`, {
    hint: 'Check who owns the file and the directory, and their permissions.',
    cause: error,
  });
}

/** Names come from files and people: `constructor` is no provider. */
function own<T>(record: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined {
  return record !== null && record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
