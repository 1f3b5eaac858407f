/** What models refused, in one file of the home, so that no later start asks for it again. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { withoutUserInfo } from '../config/env-values.ts';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { isJsonObject, parseJson } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { KeptRefusals } from '../llm/endpoint.ts';
import type { ApiMode } from '../llm/protocol.ts';

/** Servers and models get better: after a week it is tried again. */
const keptMs = 7 * 24 * 60 * 60_000;
/** Bounds of the file: models of all endpoints, and names of parts of each. */
const maxModels = 300;
const maxNames = 30;

interface Refused {
  readonly parts: readonly string[];
  /** Milliseconds since 1970. */
  readonly until: number;
}

/**
 * Read once, when the first request is made. Of two processes that write at the same moment one is forgotten, which
 * costs it one more refusal.
 */
export class RefusedParts {
  readonly #path: string;
  readonly #log: Log;
  readonly #now: () => number;
  #known: ReadonlyMap<string, Refused> | undefined;

  constructor(path: string, log: Log, now: () => number = Date.now) {
    this.#path = path;
    this.#log = log;
    this.#now = now;
  }

  at(apiMode: ApiMode, baseUrl: string): KeptRefusals {
    // A query may hold a key.
    const [address = ''] = withoutUserInfo(baseUrl).split('?', 1);
    const keyOf = (model: string) => `${apiMode} ${address.replace(/\/+$/, '')} ${model}`;
    return {
      of: (model) => {
        this.#known ??= this.#read();
        return this.#known.get(keyOf(model))?.parts ?? [];
      },
      keep: (model, parts) => this.#keep(keyOf(model), parts),
    };
  }

  #keep(key: string, parts: readonly string[]): void {
    const known = new Map(this.#read());
    // The newest stand last.
    known.delete(key);
    known.set(key, { parts: parts.slice(0, maxNames), until: this.#now() + keptMs });
    this.#known = known;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      const kept = Object.fromEntries([...known].slice(-maxModels));
      writeFileAtomic(this.#path, `${JSON.stringify(kept, null, 2)}\n`);
    } catch (error) {
      this.#log.info(`what ${key} refused is found out again next time`, error);
    }
  }

  /** A damaged file holds nothing that cannot be found out again. */
  #read(): ReadonlyMap<string, Refused> {
    const found = new Map<string, Refused>();
    const value = parseJson(textOf(this.#path));
    if (!isJsonObject(value)) return found;
    const now = this.#now();
    for (const [key, entry] of Object.entries(value)) {
      if (!isJsonObject(entry) || !Array.isArray(entry['parts'])) continue;
      const { until } = entry;
      // Later than one could have written: the clock was wrong then, or is now.
      if (typeof until !== 'number' || until <= now || until > now + keptMs) continue;
      found.set(key, { parts: entry['parts'].filter((part) => typeof part === 'string').slice(0, maxNames), until });
    }
    return found;
  }
}

function textOf(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  } catch {
    // Not to be read: as good as none.
    return '';
  }
}
