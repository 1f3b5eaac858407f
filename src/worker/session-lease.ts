/** This process's claim on one conversation: taken before its first turn and renewed for as long as it lives. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Log, noLog } from '../lib/log.ts';
import type { LeaseHolder, SessionLeases } from '../sessions/leases.ts';

export interface SessionLeaseOptions {
  /** What the holder calls itself, such as `cli`. */
  readonly holder: string;
  readonly log?: Log;
  /** How long others take it for granted without a sign of life, in milliseconds. Default two minutes. */
  readonly ttlMs?: number;
  /** Default: a third of that. */
  readonly renewEveryMs?: number;
  /** How often it is looked whether somebody else is done. Default two seconds. */
  readonly pollEveryMs?: number;
}

/** `taken` anew, `kept` since the last time, or held by somebody else. */
export type Claim = 'taken' | 'kept' | LeaseHolder;

/** Renewing never keeps the process alive. */
export class SessionLease {
  readonly #leases: SessionLeases;
  readonly #options: SessionLeaseOptions;
  readonly #ttlMs: number;
  readonly #log: Log;
  #held: { readonly sessionId: string; readonly fence: number } | undefined;
  #renewedAt = 0;
  #hadGap = false;
  #timer: NodeJS.Timeout | undefined;
  #onLost: ((by: LeaseHolder) => void) | undefined;

  constructor(leases: SessionLeases, options: SessionLeaseOptions) {
    this.#leases = leases;
    this.#options = options;
    this.#ttlMs = options.ttlMs ?? 120_000;
    this.#log = options.log ?? noLog;
  }

  /** What writes carry; undefined when it is not held. */
  get fence(): number | undefined {
    return this.#held?.fence;
  }

  /** Calls back when somebody else took it. */
  onLost(listener: (by: LeaseHolder) => void): void {
    this.#onLost = listener;
  }

  /** Costs nothing while it is held and fresh, unless it has to be `certain`. */
  async claim(sessionId: string, { certain = false } = {}): Promise<Claim> {
    if (this.#hadGap) {
      this.#hadGap = false;
      return 'taken';
    }
    if (this.#held?.sessionId === sessionId) {
      if (!certain && Date.now() - this.#renewedAt < this.#ttlMs / 2) return 'kept';
      if (await this.#leases.renew(sessionId, this.#held.fence, this.#term)) {
        this.#renewedAt = Date.now();
        return 'kept';
      }
      this.forget();
    }
    const answer = await this.#leases.take(sessionId, this.#options.holder, this.#term);
    if (!answer.granted) return answer.by;
    this.#hold(sessionId, answer.fence);
    return 'taken';
  }

  /** Resolves when it is free and taken; rejects when `signal` aborts. `sessionId` is asked each time. */
  async wait(sessionId: () => Promise<string>, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        const claim = await this.claim(await sessionId());
        if (claim === 'taken' || claim === 'kept') return;
      } catch (error) {
        this.#log.warning('it could not be seen whether the conversation is free', error);
      }
      await sleep(this.#options.pollEveryMs ?? 2000, undefined, { signal, ref: false });
    }
  }

  async takeOver(sessionId: string): Promise<void> {
    this.#hold(sessionId, await this.#leases.takeOver(sessionId, this.#options.holder, this.#term));
  }

  /** The conversation goes on under another id; the store has passed the lease on. */
  moved(to: string): void {
    if (this.#held !== undefined) this.#held = { ...this.#held, sessionId: to };
  }

  /** Leaves it as it is in the store. */
  forget(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#held = undefined;
  }

  async release(): Promise<void> {
    const held = this.#held;
    this.forget();
    if (held !== undefined) await this.#leases.release(held.sessionId, held.fence);
  }

  get #term(): { readonly ttlMs: number } {
    return { ttlMs: this.#ttlMs };
  }

  #hold(sessionId: string, fence: number): void {
    this.#held = { sessionId, fence };
    this.#renewedAt = Date.now();
    this.#timer ??= setInterval(() => void this.#renew(), this.#options.renewEveryMs ?? this.#ttlMs / 3).unref();
  }

  async #renew(): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    try {
      const kept = await this.#leases.renew(held.sessionId, held.fence, this.#term);
      if (this.#held !== held) return;
      if (kept) {
        this.#renewedAt = Date.now();
        return;
      }
      this.forget();
      const claim = await this.claim(held.sessionId);
      // Somebody had it for a while: the next turn has to know.
      if (claim === 'taken') this.#hadGap = true;
      else if (claim !== 'kept') this.#onLost?.(claim);
    } catch (error) {
      this.#log.warning('the lease of the conversation was not renewed', error);
    }
  }
}
