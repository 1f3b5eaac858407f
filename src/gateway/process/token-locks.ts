/** One gateway of this machine for each account of a platform, whatever its home. In the files of the original. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { errorCode, errorMessage } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { PlatformError } from '../platform/platform-error.ts';
import { isAlive, ownRecord, type ProcessRecord } from './process-record.ts';

const holder = z.looseObject({ pid: z.number(), start_time: z.number().nullish(), home: z.string().nullish() });

interface Held {
  readonly platform: string;
  readonly path: string;
}

export class TokenLocks {
  readonly #directory: string;
  readonly #homePath: string;
  readonly #held: Held[] = [];

  constructor(directory: string, homePath: string) {
    this.#directory = directory;
    this.#homePath = homePath;
  }

  /** Throws a retryable `PlatformError` that names the holder. */
  async take(platform: string, scope: string, identity: string): Promise<void> {
    const name = createHash('sha256').update(identity).digest('hex').slice(0, 16);
    const path = join(this.#directory, `${scope}-${name}.lock`);
    makeDirectories(this.#directory, 0o700);
    // A stale one goes away once; if another process was quicker, that one has it.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      if (this.#create(path, platform)) return await Promise.resolve();
      const other = readHolder(path);
      const isOurs = other?.pid === process.pid && (other.home ?? this.#homePath) === this.#homePath;
      if (isOurs) return void this.#held.push({ platform, path });
      if (other !== undefined && isAlive(other)) throw held(scope, other.pid, other.home ?? undefined);
      rmSync(path, { force: true });
    }
    throw held(scope, undefined, undefined);
  }

  /** What a platform holds; nothing of others. */
  async giveBack(platform: string): Promise<void> {
    for (const lock of this.#held.filter((each) => each.platform === platform)) {
      this.#held.splice(this.#held.indexOf(lock), 1);
      const { pid, home } = readHolder(lock.path) ?? {};
      if (pid === process.pid && (home ?? this.#homePath) === this.#homePath) rmSync(lock.path, { force: true });
    }
    await Promise.resolve();
  }

  #create(path: string, platform: string): boolean {
    try {
      const file = openSync(path, 'wx', 0o600);
      try {
        writeSync(file, JSON.stringify({ ...ownRecord(), home: this.#homePath }));
      } finally {
        closeSync(file);
      }
      this.#held.push({ platform, path });
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw new PlatformError('lock_failed', `The lock ${path} could not be made: ${errorMessage(error)}`, {
        retryable: true,
        cause: error,
      });
    }
  }
}

function readHolder(path: string): (ProcessRecord & { readonly home?: string | null }) | undefined {
  try {
    const { pid, start_time: startTime = null, home = null } = holder.parse(parseJson(readFileSync(path, 'utf8')));
    return { pid, start_time: startTime, home };
  } catch {
    return undefined;
  }
}

function held(scope: string, pid: number | undefined, home: string | undefined): PlatformError {
  const who =
    pid === undefined ? 'another gateway' : `the gateway with pid ${pid}${home === undefined ? '' : ` (${home})`}`;
  return new PlatformError(`${scope}_lock`, `This account is in use by ${who}. It is taken over when that one stops.`, {
    retryable: true,
  });
}
