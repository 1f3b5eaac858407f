/** The credentials of one provider, kept in `auth.json`: which is used, which rests, which is renewed. */
import type { JsonObject } from '../lib/json.ts';
import { maskKeys } from '../llm/mask.ts';
import { type AuthFile, type AuthStore, entriesIn } from './auth-store.ts';
import { dead, healthyStatus, isDead, restAfter, restsUntil, verdictOn } from './cool-down.ts';
import type { Credential, CredentialPool, NothingLeft, Outcome, PoolAdvice } from './credential.ts';
import { createLeases } from './leases.ts';
import { LoginLost } from './login-lost.ts';
import { explainNothingLeft } from './nothing-left.ts';
import { type Overlay, overlaid } from './overlay.ts';
import { isBorrowed, parseEntry } from './pool-entry.ts';
import { alignPool, forThisRun, type Member, membersOf, type PoolSeed, storable } from './pool-members.ts';
import { type RefreshLogin, renewLogin } from './refresh-login.ts';
import { rawPool, setPool } from './stored-pool.ts';
import { type PoolStrategy, pick } from './strategies.ts';

export interface PoolOptions {
  readonly store: AuthStore;
  /** `<provider>` or `custom:<name>`. */
  readonly provider: string;
  /** Default `fill_first`. */
  readonly strategy?: PoolStrategy;
  /** What the environment and the configuration hold for this provider now. */
  readonly seeds: readonly PoolSeed[];
  /** Without it, logins are used until they end. */
  readonly refresh?: RefreshLogin;
  readonly clock?: { now(): number };
  /** 0 to 1. */
  readonly random?: () => number;
}

export interface StoredPool extends CredentialPool {
  /**
   * Brings the stored entries in line with the seeds; writes only when they differ. Throws `UserError` when
   * `auth.json` is damaged or cannot be written.
   */
  align(): Promise<void>;
  /** What is in the pool now, resting and dead members too. They hold secrets. */
  members(): readonly Member[];
  nothingLeft(): NothingLeft | undefined;
  /** Writes the request counts that are not stored yet. */
  close(): Promise<void>;
}

/** Logins are renewed this long before they end. */
const refreshAheadMs = 120_000;
/** After a renewal failed and while the login is still good, it is not tried again for so long. */
const postponeMs = 30_000;
/** A rejected key is passed over by this process for so long, unless there is no other. */
const asideMs = 300_000;

/** Nothing is read or written before the first call. One instance should serve all turns of a process. */
export function createCredentialPool(options: PoolOptions): StoredPool {
  const { store, provider, strategy = 'fill_first', seeds, refresh, clock = Date, random = Math.random } = options;
  const now = () => clock.now();
  const leases = createLeases(now);
  /** Requests that are not yet counted in the store. */
  const sent = new Map<string, number>();
  /** Slowed down once since its last success. */
  const warned = new Set<string>();
  /** Renewed after a refusal, and no success since. */
  const renewedOnce = new Set<string>();
  const aside = new Map<string, { readonly secret: string; readonly until: number }>();
  const postponed = new Map<string, number>();
  const renewing = new Map<string, Promise<void>>();
  const overlays = new Map<string, Overlay>();
  let last: string | undefined;
  let lastRead: Readonly<AuthFile> = { version: 1 };

  /** A file that is damaged while we run is reported by whoever opens a pool next; a request goes on as before. */
  const read = (): Readonly<AuthFile> => {
    try {
      lastRead = store.read();
    } catch {
      // What was known before still holds, and nothing is written over the damage.
    }
    return lastRead;
  };
  const baseMembers = () => membersOf(read(), provider, seeds);
  const members = () => baseMembers().map((member) => overlaid(member, overlays.get(member.entry.id)));

  /** A pool of one does not rest: the provider's own answer is worth more than our guess. */
  const canRest = (all: readonly Member[]) => all.filter(({ entry }) => !isDead(entry)).length > 1;
  const isResting = ({ entry }: Member) => (restsUntil(entry) ?? 0) > now();
  const isAside = ({ entry, secret }: Member) => {
    const put = aside.get(entry.id);
    return put?.secret === secret && put.until > now();
  };

  const healthy = (all: readonly Member[]): Member[] => {
    const rest = canRest(all);
    return all.filter(
      (member) =>
        !isDead(member.entry) &&
        !(rest && isResting(member)) &&
        (member.secret !== '' || (refresh !== undefined && member.refreshToken !== undefined)),
    );
  };
  const preferred = (all: readonly Member[]): Member[] => {
    const usable = healthy(all);
    const accepted = usable.filter((member) => !isAside(member));
    return accepted.length > 0 ? accepted : usable;
  };

  const choose = (all: readonly Member[]): Member | undefined => {
    const candidates = preferred(all).map((member) => {
      const { id, request_count } = member.entry;
      return { id, requests: request_count + (sent.get(id) ?? 0), busy: leases.busy(id), member };
    });
    return pick(strategy, candidates, { order: all.map(({ entry }) => entry.id), last, random })?.member;
  };

  const overlay = (id: string, what: Omit<Overlay, 'of'>): void => {
    const base = baseMembers().find(({ entry }) => entry.id === id);
    if (base !== undefined) overlays.set(id, { ...what, of: base.secret });
  };

  const addCounts = (file: AuthFile): void => {
    for (const raw of rawPool(file, provider)) {
      const entry = parseEntry(raw);
      const count = entry === undefined ? undefined : sent.get(entry.id);
      if (entry !== undefined && count !== undefined) raw['request_count'] = entry.request_count + count;
    }
  };

  /** Changes one entry, and writes what is pending with it. A request does not fail because a note of it does. */
  const note = async (member: Member, fields: JsonObject): Promise<void> => {
    const { id } = member.entry;
    try {
      await store.update((file) => {
        Object.assign(storedEntry(file, provider, member), fields);
        addCounts(file);
      });
      sent.clear();
      const old = overlays.get(id);
      if (old?.renewed !== undefined) overlays.set(id, { of: old.of, renewed: old.renewed });
      else overlays.delete(id);
    } catch {
      overlay(id, { ...overlays.get(id), fields });
    }
  };

  const renewNow = async (member: Member, ask: RefreshLogin): Promise<void> => {
    const { id } = member.entry;
    try {
      const renewed = await renewLogin(member, { store, provider, refresh: ask, now });
      if (renewed !== undefined) overlay(id, { renewed });
    } catch (error) {
      const known = members().find(({ entry }) => entry.id === id);
      if (error instanceof LoginLost && known !== undefined && !isDead(known.entry)) {
        overlay(id, { fields: { last_status: dead, last_error_message: error.message } });
      }
      throw error;
    }
  };

  /** Once for all who ask at the same time. */
  const renew = async (member: Member, ask: RefreshLogin, signal: AbortSignal): Promise<void> => {
    const { id } = member.entry;
    let underWay = renewing.get(id);
    if (underWay === undefined) {
      underWay = renewNow(member, ask).finally(() => renewing.delete(id));
      renewing.set(id, underWay);
    }
    await unlessAborted(underWay, signal);
  };

  const endsSoon = ({ expiresAt }: Member) => expiresAt !== undefined && expiresAt - now() < refreshAheadMs;
  const hasEnded = ({ expiresAt }: Member) => expiresAt !== undefined && expiresAt <= now();

  const lend = ({ entry, secret, baseUrl }: Member): Credential => {
    const { id, label } = entry;
    const credential: Credential = { id, label, secret, ...(baseUrl === undefined ? {} : { baseUrl }) };
    leases.begin(credential);
    last = id;
    return credential;
  };

  const take = async (signal: AbortSignal): Promise<Credential | undefined> => {
    // Each is renewed at most once here, so every round gives something or narrows the choice.
    const tried = new Set<string>();
    for (;;) {
      signal.throwIfAborted();
      const all = members();
      const member = choose(all);
      if (member === undefined) return undefined;
      const { id } = member.entry;
      const due = endsSoon(member) && (hasEnded(member) || (postponed.get(id) ?? 0) <= now());
      if (refresh === undefined || member.refreshToken === undefined || !due || tried.has(id)) return lend(member);
      tried.add(id);
      try {
        await renew(member, refresh, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof LoginLost) continue;
        if (!hasEnded(member)) {
          postponed.set(id, now() + postponeMs);
          return lend(member);
        }
        aside.set(id, { secret: member.secret, until: now() + postponeMs });
        if (preferred(all).every((other) => isAside(other))) throw error;
      }
    }
  };

  const adviceWithout = (id: string): PoolAdvice =>
    healthy(members()).some((other) => other.entry.id !== id && !isAside(other)) ? 'next' : 'none';

  const rest = async (member: Member, outcome: Failure): Promise<PoolAdvice> => {
    const { id } = member.entry;
    warned.delete(id);
    if (!canRest(members())) return 'none';
    const { status, exhausted, reason } = outcome;
    await note(member, {
      last_status: 'exhausted',
      last_status_at: now() / 1000,
      last_error_code: status ?? null,
      last_error_reason: exhausted ? 'usage_limit' : 'rate_limit',
      last_error_message: maskKeys(reason, [member.secret]),
      last_error_reset_at: (now() + restAfter(outcome)) / 1000,
    });
    return adviceWithout(id);
  };

  const reject = async (member: Member, { status }: Failure, signal: AbortSignal): Promise<PoolAdvice> => {
    const { id } = member.entry;
    if (status === 401 && refresh !== undefined && member.refreshToken !== undefined && !renewedOnce.has(id)) {
      renewedOnce.add(id);
      try {
        await renew(member, refresh, signal);
        return 'next';
      } catch {
        signal.throwIfAborted();
      }
    }
    aside.set(id, { secret: member.secret, until: now() + asideMs });
    return adviceWithout(id);
  };

  const report = async (credential: Credential, outcome: Outcome, signal: AbortSignal): Promise<PoolAdvice> => {
    const { id, secret } = credential;
    leases.end(credential);
    sent.set(id, (sent.get(id) ?? 0) + 1);
    const all = members();
    const member = all.find(({ entry }) => entry.id === id);
    if (outcome.kind === 'ok') {
      for (const flags of [warned, renewedOnce, aside]) flags.delete(id);
      if (member?.entry.last_status === 'exhausted' && !isResting(member)) await note(member, healthyStatus);
      return 'same';
    }
    if (member === undefined) return adviceWithout(id);
    const verdict = verdictOn(outcome);
    if (verdict === 'fine') return 'same';
    // A secret that was replaced meanwhile says nothing about its successor.
    if (member.secret !== secret) return 'next';
    if (verdict === 'rejected') return await reject(member, outcome, signal);
    if (verdict === 'slow_down' && canRest(all) && !warned.has(id)) {
      warned.add(id);
      return 'same';
    }
    return await rest(member, outcome);
  };

  return {
    take,
    report,
    members,
    nothingLeft: () => explainNothingLeft(members(), provider, now()),
    async align() {
      // Tried on a copy first, so that the usual start takes no lock and leaves no file.
      const trial: AuthFile = structuredClone(store.read());
      alignPool(trial, provider, seeds);
      if (JSON.stringify(trial) === JSON.stringify(store.read())) return;
      await store.update((file) => alignPool(file, provider, seeds));
    },
    async close() {
      const all = members();
      const counted = all.filter(({ entry }) => sent.has(entry.id));
      // One key from the environment needs no file.
      if (counted.length === 0 || (all.length < 2 && entriesIn(read(), provider).length === 0)) return;
      await store.update((file) => {
        for (const member of counted) storedEntry(file, provider, member);
        addCounts(file);
      });
      sent.clear();
    },
  };
}

type Failure = Extract<Outcome, { kind: 'failed' }>;

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

/** What was begun goes on; only the waiting ends. */
async function unlessAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
