/** The credentials of one provider, kept in `auth.json`: which is used, which rests, which is renewed. */
import { type Log, noLog } from '../lib/log.ts';
import { maskKeys } from '../lib/secrets.ts';
import type { AuthStore } from './auth-store.ts';
import { dead, healthyStatus, isDead, restAfter, restsUntil, verdictOn } from './cool-down.ts';
import type { Credential, CredentialPool, NothingLeft, Outcome, PoolAdvice } from './credential.ts';
import { Leases } from './leases.ts';
import { LoginLost } from './login-lost.ts';
import { explainNothingLeft } from './nothing-left.ts';
import type { Member, PoolSeed } from './pool-members.ts';
import { PoolState } from './pool-state.ts';
import { type RefreshLogin, renewLogin } from './refresh-login.ts';
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
  readonly log?: Log | undefined;
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
const passOverMs = 300_000;

type Failure = Extract<Outcome, { kind: 'failed' }>;

/** Nothing is read or written before the first call. One instance should serve all turns of a process. */
export class StoredCredentialPool implements StoredPool {
  readonly #options: PoolOptions;
  readonly #log: Log;
  readonly #state: PoolState;
  readonly #leases: Leases;
  /** Slowed down once since its last success. */
  readonly #warned = new Set<string>();
  /** Renewed after a refusal, and no success since. */
  readonly #renewedOnce = new Set<string>();
  readonly #passedOver = new Map<string, { readonly secret: string; readonly until: number }>();
  readonly #postponed = new Map<string, number>();
  readonly #renewing = new Map<string, Promise<void>>();
  #last: string | undefined;

  constructor(options: PoolOptions) {
    const { store, provider, seeds, log = noLog } = options;
    this.#options = options;
    this.#log = log;
    this.#state = new PoolState({ store, provider, seeds, log });
    this.#leases = new Leases(() => this.#now());
  }

  async take(signal: AbortSignal): Promise<Credential | undefined> {
    const { refresh } = this.#options;
    // Each is renewed at most once here, so every round gives something or narrows the choice.
    const tried = new Set<string>();
    for (;;) {
      signal.throwIfAborted();
      const all = this.members();
      const member = this.#choose(all);
      if (member === undefined) return undefined;
      const { id } = member.entry;
      if (refresh === undefined || tried.has(id) || !this.#isDue(member)) return this.#lend(member);
      tried.add(id);
      const usable = await this.#renewAhead(member, refresh, signal);
      if (usable instanceof Error && this.#preferred(all).every((other) => this.#isPassedOver(other))) throw usable;
      if (usable === true) return this.#lend(member);
    }
  }

  async report(credential: Credential, outcome: Outcome, signal: AbortSignal): Promise<PoolAdvice> {
    const { id, secret } = credential;
    this.#leases.end(credential);
    this.#state.count(id);
    const all = this.members();
    const member = all.find(({ entry }) => entry.id === id);
    if (outcome.kind === 'ok') {
      for (const flags of [this.#warned, this.#renewedOnce, this.#passedOver]) flags.delete(id);
      const rested = member?.entry.last_status === 'exhausted' && !this.#isResting(member);
      if (member !== undefined && rested) await this.#state.note(member, healthyStatus);
      return 'same';
    }
    if (member === undefined) return this.#adviceWithout(id);
    const verdict = verdictOn(outcome);
    if (verdict === 'fine') return 'same';
    // A secret that was replaced meanwhile says nothing about its successor.
    if (member.secret !== secret) return 'next';
    if (verdict === 'rejected') return await this.#reject(member, outcome, signal);
    if (verdict === 'slow_down' && canRest(all) && !this.#warned.has(id)) {
      this.#warned.add(id);
      return 'same';
    }
    return await this.#rest(member, outcome);
  }

  members(): readonly Member[] {
    return this.#state.members();
  }

  nothingLeft(): NothingLeft | undefined {
    return explainNothingLeft(this.members(), this.#options.provider, this.#now());
  }

  async align(): Promise<void> {
    await this.#state.align();
  }

  async close(): Promise<void> {
    await this.#state.flush();
  }

  #now(): number {
    return (this.#options.clock ?? Date).now();
  }

  #choose(all: readonly Member[]): Member | undefined {
    const { strategy = 'fill_first', random = Math.random } = this.#options;
    const candidates = this.#preferred(all).map((member) => {
      const { id } = member.entry;
      return { id, requests: this.#state.requests(member), busy: this.#leases.busy(id), member };
    });
    return pick(strategy, candidates, { order: all.map(({ entry }) => entry.id), last: this.#last, random })?.member;
  }

  #preferred(all: readonly Member[]): readonly Member[] {
    const usable = this.#healthy(all);
    const accepted = usable.filter((member) => !this.#isPassedOver(member));
    return accepted.length > 0 ? accepted : usable;
  }

  #healthy(all: readonly Member[]): readonly Member[] {
    const rest = canRest(all);
    const renewable = ({ refreshToken }: Member) => this.#options.refresh !== undefined && refreshToken !== undefined;
    return all.filter(
      (member) =>
        !isDead(member.entry) && !(rest && this.#isResting(member)) && (member.secret !== '' || renewable(member)),
    );
  }

  #isResting({ entry }: Member): boolean {
    return (restsUntil(entry) ?? 0) > this.#now();
  }

  #isPassedOver({ entry, secret }: Member): boolean {
    const passed = this.#passedOver.get(entry.id);
    return passed?.secret === secret && passed.until > this.#now();
  }

  #passOver({ entry, secret }: Member, ms: number): void {
    this.#passedOver.set(entry.id, { secret, until: this.#now() + ms });
  }

  #adviceWithout(id: string): PoolAdvice {
    const others = this.#healthy(this.members()).filter(({ entry }) => entry.id !== id);
    return others.some((other) => !this.#isPassedOver(other)) ? 'next' : 'none';
  }

  #lend({ entry, secret, baseUrl }: Member): Credential {
    const { id, label, account_id: account } = entry;
    const credential: Credential = {
      id,
      label,
      secret,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(account ? { account } : {}),
    };
    this.#leases.begin(credential);
    this.#last = id;
    return credential;
  }

  #hasEnded({ expiresAt }: Member): boolean {
    return expiresAt !== undefined && expiresAt <= this.#now();
  }

  #isDue(member: Member): boolean {
    const { entry, expiresAt, refreshToken } = member;
    if (refreshToken === undefined || expiresAt === undefined || expiresAt - this.#now() >= refreshAheadMs)
      return false;
    return this.#hasEnded(member) || (this.#postponed.get(entry.id) ?? 0) <= this.#now();
  }

  /** True when the old secret can still be sent, false when another look is needed, an error when this one is no use. */
  async #renewAhead(member: Member, refresh: RefreshLogin, signal: AbortSignal): Promise<boolean | Error> {
    try {
      await this.#renew(member, refresh, signal);
      return false;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof LoginLost) return false;
      this.#log.warning(`the login '${member.entry.label}' of ${this.#options.provider} was not renewed`, error);
      if (this.#hasEnded(member)) {
        this.#passOver(member, postponeMs);
        return error instanceof Error ? error : new Error(String(error));
      }
      this.#postponed.set(member.entry.id, this.#now() + postponeMs);
      return true;
    }
  }

  /** Once for all who ask at the same time. What was begun goes on when one of them stops waiting. */
  async #renew(member: Member, refresh: RefreshLogin, signal: AbortSignal): Promise<void> {
    const { id } = member.entry;
    let underWay = this.#renewing.get(id);
    if (underWay === undefined) {
      underWay = this.#renewNow(member, refresh).finally(() => this.#renewing.delete(id));
      this.#renewing.set(id, underWay);
    }
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.race([underWay, promise]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #renewNow(member: Member, refresh: RefreshLogin): Promise<void> {
    const { store, provider } = this.#options;
    const { id } = member.entry;
    try {
      const renewal = { store, provider, refresh, now: () => this.#now(), log: this.#log };
      const renewed = await renewLogin(member, renewal);
      if (renewed !== undefined) this.#state.keepInMind(id, { renewed });
    } catch (error) {
      const known = this.members().find(({ entry }) => entry.id === id);
      if (error instanceof LoginLost && known !== undefined && !isDead(known.entry)) {
        this.#state.keepInMind(id, { fields: { last_status: dead, last_error_message: error.message } });
      }
      throw error;
    }
  }

  async #rest(member: Member, outcome: Failure): Promise<PoolAdvice> {
    const { id } = member.entry;
    this.#warned.delete(id);
    if (!canRest(this.members())) return 'none';
    const { status, exhausted, reason } = outcome;
    const now = this.#now();
    await this.#state.note(member, {
      last_status: 'exhausted',
      last_status_at: now / 1000,
      last_error_code: status ?? null,
      last_error_reason: exhausted ? 'usage_limit' : 'rate_limit',
      last_error_message: maskKeys(reason, [member.secret]),
      last_error_reset_at: (now + restAfter(outcome)) / 1000,
    });
    return this.#adviceWithout(id);
  }

  async #reject(member: Member, { status }: Failure, signal: AbortSignal): Promise<PoolAdvice> {
    const { refresh, provider } = this.#options;
    const { id, label } = member.entry;
    if (status === 401 && refresh !== undefined && member.refreshToken !== undefined && !this.#renewedOnce.has(id)) {
      this.#renewedOnce.add(id);
      try {
        await this.#renew(member, refresh, signal);
        return 'next';
      } catch (error) {
        signal.throwIfAborted();
        this.#log.warning(`the refused login '${label}' of ${provider} was not renewed`, error);
      }
    }
    this.#passOver(member, passOverMs);
    return this.#adviceWithout(id);
  }
}

/** A pool of one does not rest: the provider's own answer is worth more than our guess. */
function canRest(all: readonly Member[]): boolean {
  return all.filter(({ entry }) => !isDead(entry)).length > 1;
}
