/** `Idempotency-Key`: the same request with the same key is run once. */
import { createHash } from 'node:crypto';

/** How long a result is kept, in milliseconds, and how many. */
const keptMs = 300_000;
const maxKept = 1000;

interface Kept<Result> {
  readonly fingerprint: string;
  readonly result: Promise<Result>;
  readonly since: number;
}

/** Those that ask while it runs share the run; what failed is run again. */
export class OncePerKey<Result> {
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept<Result>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Without a key it is just run. Another request with the key takes its place. */
  async run(key: string | undefined, fingerprint: string, run: () => Promise<Result>): Promise<Result> {
    if (key === undefined) return await run();
    const known = this.#kept.get(key);
    if (known !== undefined && known.fingerprint === fingerprint && this.#now() - known.since < keptMs) {
      return await known.result;
    }
    const kept = { fingerprint, result: run(), since: this.#now() };
    this.#keep(key, kept);
    try {
      return await kept.result;
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
      throw error;
    }
  }

  #keep(key: string, kept: Kept<Result>): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const [oldest, { since }] of this.#kept) {
      if (this.#kept.size <= maxKept && this.#now() - since < keptMs) break;
      this.#kept.delete(oldest);
    }
  }
}

/** Of whatever makes two requests the same. */
export function fingerprint(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
