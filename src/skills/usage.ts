/** `.usage.json`: how often each skill was used, seen and changed, and what the curator knows of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { errorCode, UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../lib/json.ts';
import { noteBundledUse } from './bundled-use.ts';
import { foreignSkills } from './provenance.ts';

export type UsageKind = 'use' | 'view' | 'patch';

export interface SkillUsage {
  /** Every entry as it stands in the file, unknown keys included. */
  read(): Readonly<Record<string, JsonObject>>;
  isPinned(name: string): boolean;
  /** Counts one event. Hub skills are not counted; of bundled ones only the day is kept. Resolves also when it could not be stored. */
  count(name: string, kind: UsageKind): Promise<void>;
  /** Starts an entry; `byAgent` marks what a background review made on its own. */
  created(name: string, byAgent: boolean): Promise<void>;
  removed(name: string): Promise<void>;
  /** Sets fields of an entry, which is begun where there is none. Throws when they cannot be stored. */
  set(name: string, fields: JsonObject): Promise<void>;
}

/** `now` gives the time of an event. */
export function openUsage(homePath: string, now: () => Date): SkillUsage {
  const folder = join(homePath, 'skills');
  const path = join(folder, '.usage.json');

  async function change(name: string, edit: (all: JsonObject) => void): Promise<void> {
    const { bundled, hub } = foreignSkills(homePath);
    if (bundled.has(name) || hub.has(name) || name === '__proto__') return;
    try {
      await withFileLock(join(folder, '.usage.lock'), () => {
        const all = readUsage(path);
        // A file that is damaged is left for a person to look at, rather than replaced by a nearly empty one.
        if (all === undefined) return;
        edit(all);
        writeFileAtomic(path, `${JSON.stringify(all, null, 2)}\n`);
      });
    } catch {
      // Counting must never stand in the way of the work itself.
    }
  }

  async function set(name: string, fields: JsonObject): Promise<void> {
    await withFileLock(join(folder, '.usage.lock'), () => {
      const all = readUsage(path);
      if (all === undefined || name === '__proto__') {
        throw new UserError(`${path} cannot be read, so nothing was noted for '${name}'.`, {
          hint: 'Repair the file, or move it away.',
        });
      }
      Object.assign(entryOf(all, name, now()), fields);
      writeFileAtomic(path, `${JSON.stringify(all, null, 2)}\n`);
    });
  }

  return {
    set,
    read() {
      const all = readUsage(path) ?? {};
      return Object.fromEntries(
        Object.entries(all).flatMap(([name, entry]) => (isJsonObject(entry) ? [[name, entry]] : [])),
      );
    },
    isPinned(name) {
      const entry = readUsage(path)?.[name];
      return isJsonObject(entry) && entry['pinned'] === true;
    },
    async count(name, kind) {
      if (foreignSkills(homePath).bundled.has(name)) return await noteBundledUse(homePath, name, now());
      await change(name, (all) => {
        const entry = entryOf(all, name, now());
        const field = `${kind}_count`;
        entry[field] = asCount(entry[field]) + 1;
        entry[times[kind]] = now().toISOString();
      });
    },
    created: (name, byAgent) =>
      change(name, (all) => {
        all[name] = { ...freshEntry(now()), ...(byAgent ? { created_by: 'agent' } : {}) };
      }),
    removed: (name) =>
      change(name, (all) => {
        delete all[name];
      }),
  };
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
