/** Which credentials this process is using right now, so that work side by side spreads over them. */
import type { Credential } from './credential.ts';

/** No request takes longer; a lease that was never given back does not count any more. */
const maxMs = 7_200_000;

export class Leases {
  readonly #now: () => number;
  readonly #open = new Map<Credential, { readonly id: string; readonly until: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Requests under way with a credential. */
  busy(id: string): number {
    let count = 0;
    for (const lease of this.#open.values()) if (lease.id === id && lease.until > this.#now()) count += 1;
    return count;
  }

  begin(credential: Credential): void {
    for (const [old, { until }] of this.#open) if (until <= this.#now()) this.#open.delete(old);
    this.#open.set(credential, { id: credential.id, until: this.#now() + maxMs });
  }

  end(credential: Credential): void {
    this.#open.delete(credential);
  }
}
