/** The files of pairing: who asked to be let in, who was, and who tried too often. In the formats of the original. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { parseJson } from '../../lib/json.ts';
import { makeDirectories } from '../../lib/make-directories.ts';

const name = z.string().max(4096).nullish();

const pending = z.record(
  z.string(),
  z.looseObject({ hash: z.string(), salt: z.string(), user_id: z.string(), user_name: name, created_at: z.number() }),
);
const approved = z.record(z.string(), z.looseObject({ user_name: name, approved_at: z.number().nullish() }));
const limits = z.record(z.string(), z.number());

export type PendingRequests = z.infer<typeof pending>;
export type ApprovedUsers = z.infer<typeof approved>;
export type RateLimits = z.infer<typeof limits>;

export class PairingFiles {
  readonly #directory: string;
  readonly #older: string;

  /** `homePath`: that of the profile. */
  constructor(homePath: string) {
    this.#directory = join(homePath, 'platforms', 'pairing');
    this.#older = join(homePath, 'pairing');
  }

  /** Held while the files are read and written. */
  get lockPath(): string {
    return join(this.#directory, '.lock');
  }

  pending(platform: string): PendingRequests {
    return this.#read(`${platform}-pending.json`, pending);
  }

  approved(platform: string): ApprovedUsers {
    return this.#read(`${platform}-approved.json`, approved);
  }

  limits(): RateLimits {
    return this.#read('_rate_limits.json', limits);
  }

  savePending(platform: string, requests: PendingRequests): void {
    this.#write(`${platform}-pending.json`, requests);
  }

  saveApproved(platform: string, users: ApprovedUsers): void {
    this.#write(`${platform}-approved.json`, users);
  }

  saveLimits(rates: RateLimits): void {
    this.#write('_rate_limits.json', rates);
  }

  /** Platforms that have either kind of file. */
  platforms(): readonly string[] {
    const names = [this.#directory, this.#older].flatMap((directory) => {
      try {
        return readdirSync(directory);
      } catch {
        return [];
      }
    });
    const found = names.map((file) => /^([a-z0-9_]+)-(?:pending|approved)\.json$/.exec(file)?.[1]);
    return [...new Set(found.filter((platform) => platform !== undefined))].toSorted();
  }

  /** What stands in either folder, the newer one first. A file that is no such record holds nobody: that lets nobody in. */
  #read<T extends Record<string, unknown>>(file: string, schema: z.ZodType<T>): T {
    const [newer, older] = [this.#directory, this.#older].map((directory) => {
      try {
        return schema.safeParse(parseJson(readFileSync(join(directory, file), 'utf8'))).data;
      } catch {
        return undefined;
      }
    });
    return schema.parse({ ...older, ...newer });
  }

  #write(file: string, content: unknown): void {
    makeDirectories(this.#directory, 0o700);
    writeFileAtomic(join(this.#directory, file), `${JSON.stringify(content, undefined, 2)}\n`);
    this.#forgetOlder(file);
  }

  /** What was taken over from the older folder must not come back from there. */
  #forgetOlder(file: string): void {
    try {
      readFileSync(join(this.#older, file));
      writeFileAtomic(join(this.#older, file), '{}\n');
    } catch {
      // There is no older one.
    }
  }
}
