/** The compactions of one conversation: its claim is renewed while it holds, and ends with the process. */
import { randomBytes } from 'node:crypto';
import type { SharedCompactions, SummaryFailure } from '../agent/shared-compactions.ts';
import type { Compactions } from './compactions.ts';
import { ownProcess } from './process-identity.ts';

/** As long as the original's, which looks at the same rows. */
const ttlMs = 300_000;

export class StoreCompactions implements SharedCompactions {
  readonly #store: Compactions;
  readonly #sessionId: () => string;
  #claimed: { readonly sessionId: string; readonly holder: string; readonly timer: NodeJS.Timeout } | undefined;

  constructor(store: Compactions, sessionId: () => string) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  /** Undefined while nothing is claimed. */
  get holder(): string | undefined {
    return this.#claimed?.holder;
  }

  async claim(): Promise<boolean> {
    if (this.#claimed !== undefined) return true;
    const sessionId = this.#sessionId();
    const holder = JSON.stringify({ ...ownProcess(), id: randomBytes(4).toString('hex') });
    if (!(await this.#store.claim(sessionId, holder, ttlMs))) return false;
    const timer = setInterval(() => {
      // Whether it is still held is asked again in the write that it guards.
      this.#store.renew(sessionId, holder, ttlMs).catch(() => undefined);
    }, ttlMs / 3);
    this.#claimed = { sessionId, holder, timer: timer.unref() };
    return true;
  }

  async release(): Promise<void> {
    const claimed = this.#claimed;
    if (claimed === undefined) return;
    clearInterval(claimed.timer);
    this.#claimed = undefined;
    await this.#store.release(claimed.sessionId, claimed.holder);
  }

  failure(): Promise<SummaryFailure | undefined> {
    return this.#store.failure(this.#sessionId());
  }

  setFailure(failure: SummaryFailure | undefined): Promise<void> {
    return this.#store.setFailure(this.#sessionId(), failure);
  }
}
