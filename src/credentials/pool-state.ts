/** The members of one pool as this process knows them: what `auth.json` says, and what could not be written there. */
import type { JsonObject } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { type AuthFile, type AuthStore, entriesIn } from './auth-store.ts';
import { isBorrowed, parseEntry } from './pool-entry.ts';
import { alignPool, forThisRun, type Member, membersOf, type PoolSeed, storable } from './pool-members.ts';
import type { RenewedLogin } from './refresh-login.ts';
import { rawPool, setPool } from './stored-pool.ts';

/** Logins of other programs, which are not ours to store, and notes that failed to be written. */
interface Overlay {
  /** The stored secret that this is about; it is void once another one is stored. */
  readonly of: string;
  readonly renewed?: RenewedLogin;
  readonly fields?: JsonObject;
}

export interface PoolStateOptions {
  readonly store: AuthStore;
  readonly provider: string;
  readonly seeds: readonly PoolSeed[];
  readonly log: Log;
}

export class PoolState {
  readonly #options: PoolStateOptions;
  readonly #overlays = new Map<string, Overlay>();
  /** Requests that are not yet counted in the store. */
  readonly #uncounted = new Map<string, number>();
  #lastRead: Readonly<AuthFile> = { version: 1 };

  constructor(options: PoolStateOptions) {
    this.#options = options;
  }

  members(): readonly Member[] {
    return this.#stored().map((member) => overlaid(member, this.#overlays.get(member.entry.id)));
  }

  /** Requests with a credential in all processes, as far as known. */
  requests({ entry }: Member): number {
    return entry.request_count + (this.#uncounted.get(entry.id) ?? 0);
  }

  count(id: string): void {
    this.#uncounted.set(id, (this.#uncounted.get(id) ?? 0) + 1);
  }

  /** Changes one entry, and writes what is pending with it. A request does not fail because a note of it does. */
  async note(member: Member, fields: JsonObject): Promise<void> {
    const { id } = member.entry;
    try {
      await this.#write([member], (entry) => Object.assign(entry, fields));
      const old = this.#overlays.get(id);
      if (old?.renewed !== undefined) this.#overlays.set(id, { of: old.of, renewed: old.renewed });
      else this.#overlays.delete(id);
    } catch (error) {
      this.#options.log.warning(
        `what happened to '${member.entry.label}' of ${this.#options.provider} could not be stored`,
        error,
      );
      this.keepInMind(id, { ...this.#overlays.get(id), fields });
    }
  }

  /** For this process only. */
  keepInMind(id: string, what: Omit<Overlay, 'of'>): void {
    const stored = this.#stored().find(({ entry }) => entry.id === id);
    if (stored !== undefined) this.#overlays.set(id, { ...what, of: stored.secret });
  }

  /** Tried on a copy first, so that the usual start takes no lock and leaves no file. Throws `UserError`. */
  async align(): Promise<void> {
    const file = this.#options.store.read();
    const trial: AuthFile = structuredClone(file);
    alignPool(trial, this.#options.provider, this.#options.seeds);
    if (JSON.stringify(trial) === JSON.stringify(file)) return;
    await this.#options.store.update((current) => alignPool(current, this.#options.provider, this.#options.seeds));
  }

  /** Writes the counts that are left. Throws `UserError`. */
  async flush(): Promise<void> {
    const all = this.members();
    const counted = all.filter(({ entry }) => this.#uncounted.has(entry.id));
    // One key from the environment needs no file.
    if (counted.length === 0 || (all.length < 2 && entriesIn(this.#read(), this.#options.provider).length === 0))
      return;
    await this.#write(counted, () => undefined);
  }

  async #write(members: readonly Member[], change: (entry: JsonObject) => void): Promise<void> {
    await this.#options.store.update((file) => {
      for (const member of members) change(storedEntry(file, this.#options.provider, member));
      for (const raw of rawPool(file, this.#options.provider)) {
        const entry = parseEntry(raw);
        const count = entry === undefined ? undefined : this.#uncounted.get(entry.id);
        if (entry !== undefined && count !== undefined) raw['request_count'] = entry.request_count + count;
      }
    });
    this.#uncounted.clear();
  }

  #stored(): readonly Member[] {
    return membersOf(this.#read(), this.#options.provider, this.#options.seeds);
  }

  /** A file that is damaged while we run is reported by whoever opens a pool next; a request goes on as before. */
  #read(): Readonly<AuthFile> {
    try {
      this.#lastRead = this.#options.store.read();
    } catch (error) {
      // What was known before still holds, and nothing is written over the damage.
      this.#options.log.warning(`${this.#options.store.path} cannot be read any more`, error);
    }
    return this.#lastRead;
  }
}

/** The member with what else is known of it. */
function overlaid(member: Member, overlay: Overlay | undefined): Member {
  if (overlay === undefined || overlay.of !== member.secret) return member;
  const { fields, renewed } = overlay;
  const entry = fields === undefined ? member.entry : { ...member.entry, ...fields };
  if (renewed === undefined) return { ...member, entry };
  const { accessToken, refreshToken = member.refreshToken, expiresAt } = renewed;
  return { ...member, entry, secret: accessToken, refreshToken, expiresAt };
}

/** The entry of a member in the file, put there when it is new. A login that was removed does not come back this way. */
function storedEntry(file: AuthFile, provider: string, member: Member): JsonObject {
  const pool = rawPool(file, provider);
  const { id, source } = member.entry;
  const known = pool.find((raw) => parseEntry(raw)?.id === id);
  if (known !== undefined) return Object.assign(known, { id });
  const fresh = storable(member);
  if (isBorrowed(source) && source !== forThisRun) setPool(file, provider, [...pool, fresh]);
  return fresh;
}
