/** Lets strangers in: they ask with a private message, and the operator approves the code that they were told. */
import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { withFileLock } from '../../lib/file-lock.ts';
import { PairingFiles } from './pairing-files.ts';

export interface PairingPerson {
  readonly userId: string;
  readonly userName: string | null;
}

/** `code` is told to the person and kept nowhere; null: they were told lately, or too many ask. */
export type PairingCode = { readonly code: string } | { readonly code: null };

export type Approval =
  | { readonly as: 'approved'; readonly person: PairingPerson }
  | { readonly as: 'unknown' }
  /** Too many wrong codes; `seconds` until the next one counts. */
  | { readonly as: 'locked'; readonly seconds: number };

export interface PendingPerson extends PairingPerson {
  /** The first 8 characters of the code's hash, to tell requests apart. */
  readonly hash: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 8;
const validSeconds = 3600;
const askAgainSeconds = 600;
const maxPending = 3;
const maxWrong = 5;
const lockedSeconds = 3600;

/** Every answer is of the files as they are now, so that what the command line approves holds at once. */
export class Pairing {
  readonly #files: PairingFiles;
  readonly #now: () => number;

  /** `clock.now()` in milliseconds. */
  constructor(homePath: string, clock: { now(): number } = Date) {
    this.#files = new PairingFiles(homePath);
    this.#now = () => clock.now() / 1000;
  }

  isApproved(platform: string, userId: string): boolean {
    return Object.hasOwn(this.#files.approved(platform), userId);
  }

  /** A new code for somebody who asks, if they may. */
  async request(platform: string, { userId, userName }: PairingPerson): Promise<PairingCode> {
    return await this.#alone(() => {
      const now = this.#now();
      const rates = this.#files.limits();
      const key = `${platform}:${userId}`;
      if (isWithin(rates[key], now, askAgainSeconds) || this.#locked(rates, platform) > 0) return { code: null };
      const open = this.#open(platform);
      if (Object.keys(open).length >= maxPending) return { code: null };
      const code = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
      const salt = randomBytes(16).toString('hex');
      const request = { hash: hashOf(salt, code), salt, user_id: userId, user_name: userName, created_at: now };
      this.#files.savePending(platform, { ...open, [randomBytes(8).toString('hex')]: request });
      this.#files.saveLimits({ ...recent(rates, now), [key]: now });
      return { code };
    });
  }

  async approve(platform: string, code: string): Promise<Approval> {
    return await this.#alone((): Approval => {
      const now = this.#now();
      const rates = this.#files.limits();
      const locked = this.#locked(rates, platform);
      if (locked > 0) return { as: 'locked', seconds: Math.ceil(locked) };
      const open = this.#open(platform);
      const wanted = code.trim().toUpperCase();
      const found = Object.entries(open).find(([, { salt, hash }]) => isSame(hashOf(salt, wanted), hash));
      if (found === undefined) {
        this.#countWrong(platform, rates, now);
        return { as: 'unknown' };
      }
      const [id, { user_id: userId, user_name: userName }] = found;
      const { [id]: _taken, ...rest } = open;
      const users = this.#files.approved(platform);
      this.#files.saveApproved(platform, { ...users, [userId]: { user_name: userName ?? null, approved_at: now } });
      this.#files.savePending(platform, rest);
      this.#files.saveLimits({ ...rates, [`_failures:${platform}`]: 0 });
      return { as: 'approved', person: { userId, userName: userName ?? null } };
    });
  }

  /** False when they were not let in by pairing. */
  async revoke(platform: string, userId: string): Promise<boolean> {
    return await this.#alone(() => {
      const { [userId]: removed, ...rest } = this.#files.approved(platform);
      if (removed === undefined) return false;
      this.#files.saveApproved(platform, rest);
      return true;
    });
  }

  /** Returns how many requests were forgotten. */
  async clearPending(platform?: string): Promise<number> {
    return await this.#alone(() => {
      let count = 0;
      for (const each of platform === undefined ? this.platforms() : [platform]) {
        count += Object.keys(this.#files.pending(each)).length;
        this.#files.savePending(each, {});
      }
      return count;
    });
  }

  platforms(): readonly string[] {
    return this.#files.platforms();
  }

  pending(platform: string): readonly PendingPerson[] {
    return Object.values(this.#open(platform)).map((request) => ({
      userId: request.user_id,
      userName: request.user_name ?? null,
      hash: request.hash.slice(0, 8),
      createdAt: request.created_at,
    }));
  }

  approved(platform: string): readonly PairingPerson[] {
    const users = Object.entries(this.#files.approved(platform));
    return users.map(([userId, { user_name: userName }]) => ({ userId, userName: userName ?? null }));
  }

  /** Requests that are still good. */
  #open(platform: string) {
    const now = this.#now();
    const all = Object.entries(this.#files.pending(platform));
    return Object.fromEntries(all.filter(([, { created_at: at }]) => isWithin(at, now, validSeconds)));
  }

  /** Seconds for which no code counts; 0: they do. */
  #locked(rates: Readonly<Record<string, number>>, platform: string): number {
    const until = rates[`_lockout:${platform}`] ?? 0;
    return isWithin(until - lockedSeconds, this.#now(), lockedSeconds) ? until - this.#now() : 0;
  }

  #countWrong(platform: string, rates: Readonly<Record<string, number>>, now: number): void {
    const wrong = (rates[`_failures:${platform}`] ?? 0) + 1;
    const locks = wrong >= maxWrong;
    this.#files.saveLimits({
      ...rates,
      [`_failures:${platform}`]: locks ? 0 : wrong,
      ...(locks ? { [`_lockout:${platform}`]: now + lockedSeconds } : {}),
    });
  }

  async #alone<T>(work: () => T): Promise<T> {
    return await withFileLock(this.#files.lockPath, work);
  }
}

/** A clock that was set back a year must not let people wait for a year: what lies far ahead counts as long ago. */
function isWithin(at: number | undefined, now: number, seconds: number): boolean {
  return at !== undefined && Math.abs(now - at) < seconds;
}

/** Older rates say nothing any more; the counters of platforms stay. */
function recent(rates: Readonly<Record<string, number>>, now: number): Record<string, number> {
  return Object.fromEntries(
    Object.entries(rates).filter(([key, at]) => key.startsWith('_') || isWithin(at, now, askAgainSeconds)),
  );
}

function hashOf(salt: string, code: string): string {
  return createHash('sha256')
    .update(salt + code)
    .digest('hex');
}

function isSame(first: string, second: string): boolean {
  const [one, other] = [Buffer.from(first), Buffer.from(second)];
  return one.length === other.length && timingSafeEqual(one, other);
}
