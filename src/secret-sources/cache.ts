/** What was fetched lately, in a file of the home that only its owner and this program read. */
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { isRunning } from '../lib/is-running.ts';
import { parseJson } from '../lib/json.ts';
import { makeDirectories } from '../lib/make-directories.ts';

/** The original reads and writes the same form. */
const cacheShape = z.object({ key: z.string(), secrets: z.record(z.string(), z.string()), fetched_at: z.number() });

export interface Cached {
  readonly values: ReadonlyMap<string, string>;
  /** Seconds. */
  readonly age: number;
}

const maxBytes = 16 * 1024 * 1024;

/** The cache of one source. */
export class SourceCache {
  readonly #path: string;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(homePath: string, file: string, now: () => number = Date.now) {
    this.#path = join(homePath, 'cache', file);
    this.#now = now;
  }

  /** What was fetched with this key, however long ago; a file that cannot be used is none. */
  read(key: string): Cached | undefined {
    const found = cacheShape.safeParse(parseJson(this.#text()));
    if (!found.success || found.data.key !== key) return undefined;
    const age = this.#now() / 1000 - found.data.fetched_at;
    // Of the future: the clock was set back, and nothing says how old it is.
    return age < 0 ? undefined : { values: new Map(Object.entries(found.data.secrets)), age };
  }

  /** Throws what the system says. */
  write(key: string, values: ReadonlyMap<string, string>): void {
    makeDirectories(dirname(this.#path), 0o700);
    this.#dropDrafts();
    const cached = { key, secrets: Object.fromEntries(values), fetched_at: this.#now() / 1000 };
    writeFileAtomic(this.#path, JSON.stringify(cached), { durable: false });
  }

  remove(): void {
    rmSync(this.#path, { force: true });
    this.#dropDrafts();
  }

  #text(): string {
    try {
      return statSync(this.#path).size > maxBytes ? '' : readFileSync(this.#path, 'utf8');
    } catch {
      // Not there yet, or not readable: the values are had from where they come from.
      return '';
    }
  }

  /** What a kill while writing left behind holds the same secrets. */
  #dropDrafts(): void {
    const folder = dirname(this.#path);
    const draft = /^\.(?:bws|op)_cache\.json\.(\d+)\.tmp$/;
    let names: string[] = [];
    try {
      names = readdirSync(folder);
    } catch {
      // No folder, no drafts.
    }
    for (const name of names) {
      const pid = draft.exec(name)?.[1];
      if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true });
    }
  }
}
