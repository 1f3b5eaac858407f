/** Small values that adapters keep: one file a platform, in the home. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { UserError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { AdapterNotes } from '../platform/adapter-host.ts';

const values = z.record(z.string(), z.string());
const maxBytes = 64 * 1024;

export class NotesInHome implements AdapterNotes {
  readonly #path: string;
  readonly #folder: string;
  #known: Readonly<Record<string, string>> | undefined;

  constructor(homePath: string, platform: string) {
    this.#folder = join(homePath, 'gateway');
    this.#path = join(this.#folder, `${platform}-notes.json`);
  }

  get(name: string): Promise<string | undefined> {
    const known = this.#read();
    return Promise.resolve(Object.hasOwn(known, name) ? known[name] : undefined);
  }

  async set(name: string, value: string): Promise<void> {
    if (Buffer.byteLength(value) > maxBytes) throw new UserError(`A note of a platform is too long: ${name}`);
    this.#known = { ...this.#read(), [name]: value };
    makeDirectories(this.#folder, 0o700);
    writeFileAtomic(this.#path, JSON.stringify(this.#known));
    await Promise.resolve();
  }

  #read(): Readonly<Record<string, string>> {
    this.#known ??= this.#fromFile();
    return this.#known;
  }

  /** A damaged file is as none: what stands there can be found out again. */
  #fromFile(): Readonly<Record<string, string>> {
    try {
      return values.safeParse(parseJson(readFileSync(this.#path, 'utf8'))).data ?? {};
    } catch {
      return {};
    }
  }
}
