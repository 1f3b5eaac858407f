/** `.usage.json`: how often each skill was used, seen and changed, and what the curator knows of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { errorCode, UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { noteBundledUse } from './bundled-use.ts';
import { foreignSkills } from './provenance.ts';

export type UsageKind = 'use' | 'view' | 'patch';

/** The file of one home. */
export class SkillUsage {
  readonly #homePath: string;
  readonly #now: () => Date;
  readonly #log: Log;

  /** `now` gives the time of an event. */
  constructor(homePath: string, now: () => Date, log: Log) {
    this.#homePath = homePath;
    this.#now = now;
    this.#log = log;
  }

  /** Every entry as it stands in the file, unknown keys included. */
  read(): Readonly<Record<string, JsonObject>> {
    const all = readUsage(this.#path) ?? {};
    return Object.fromEntries(
      Object.entries(all).flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry]] : [])),
    );
  }

  isPinned(name: string): boolean {
    const entry = readUsage(this.#path)?.[name];
    return isJsonObject(entry) && entry['pinned'] === true;
  }

  /** Counts one event. Hub skills are not counted; of bundled ones only the day is kept. Resolves also when it could not be stored. */
  async count(name: string, kind: UsageKind): Promise<void> {
    if (foreignSkills(this.#homePath).bundled.has(name)) {
      await this.#quietly(name, () => noteBundledUse(this.#homePath, name, this.#now()));
      return;
    }
    await this.#change(name, (all) => {
      const entry = entryOf(all, name, this.#now());
      const field = `${kind}_count`;
      entry[field] = asCount(entry[field]) + 1;
      entry[times[kind]] = this.#now().toISOString();
    });
  }

  /** Starts an entry; `byAgent` marks what a background review made on its own. */
  async created(name: string, byAgent: boolean): Promise<void> {
    await this.#change(name, (all) => {
      all[name] = { ...freshEntry(this.#now()), ...(byAgent ? { created_by: 'agent' } : {}) };
    });
  }

  /** Notes that all of a skill is the agent's own words, as it is now; undefined takes the note away. */
  async ownWords(name: string, signature: string | undefined): Promise<void> {
    if (signature === undefined && this.read()[name]?.['own_words'] === undefined) return;
    await this.#change(name, (all) => {
      const entry = entryOf(all, name, this.#now());
      if (signature === undefined) delete entry['own_words'];
      else entry['own_words'] = signature;
    });
  }

  async removed(name: string): Promise<void> {
    await this.#change(name, (all) => {
      delete all[name];
    });
  }

  /** Sets fields of an entry, which is begun where there is none. Throws when they cannot be stored. */
  async set(name: string, fields: JsonObject): Promise<void> {
    await this.#write((all) => {
      if (name === '__proto__') throw unreadable(this.#path);
      Object.assign(entryOf(all, name, this.#now()), fields);
    });
  }

  get #path(): string {
    return join(this.#homePath, 'skills', '.usage.json');
  }

  async #change(name: string, edit: (all: JsonObject) => void): Promise<void> {
    const { bundled, hub } = foreignSkills(this.#homePath);
    if (bundled.has(name) || hub.has(name) || name === '__proto__') return;
    await this.#quietly(name, () => this.#write(edit));
  }

  /** A file that is damaged is left for a person to look at, rather than replaced by a nearly empty one. */
  async #write(edit: (all: JsonObject) => void): Promise<void> {
    await withFileLock(join(this.#homePath, 'skills', '.usage.lock'), () => {
      const all = readUsage(this.#path);
      if (all === undefined) throw unreadable(this.#path);
      edit(all);
      writeFileAtomic(this.#path, `${JSON.stringify(all, null, 2)}\n`);
    });
  }

  /** Counting must never stand in the way of the work itself. */
  async #quietly(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log.warning(`the use of skill '${name}' was not counted`, error);
    }
  }
}

function unreadable(path: string): UserError {
  return new UserError(`${path} cannot be read, so nothing was noted.`, { hint: 'Repair the file, or move it away.' });
}

const times: Readonly<Record<UsageKind, string>> = {
  use: 'last_used_at',
  view: 'last_viewed_at',
  patch: 'last_patched_at',
};

/** `undefined` when the file is there but is not what it should be. */
function readUsage(path: string): JsonObject | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? {} : undefined;
  }
  if (text.trim() === '') return {};
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

function entryOf(all: JsonObject, name: string, now: Date): JsonObject {
  const known = Object.hasOwn(all, name) ? all[name] : undefined;
  if (isJsonObject(known)) return known;
  const entry = freshEntry(now);
  all[name] = entry;
  return entry;
}

function freshEntry(now: Date): JsonObject {
  return {
    use_count: 0,
    view_count: 0,
    patch_count: 0,
    last_used_at: null,
    last_viewed_at: null,
    last_patched_at: null,
    created_at: now.toISOString(),
    state: 'active',
    pinned: false,
    archived_at: null,
  };
}

function asCount(value: JsonValue | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
