/** Proposed jobs of a home, in `cron/suggestions.json`. Nothing here makes a job by itself. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { readRecordsFile, type RecordsFile, writeRecordsFile } from './records-file.ts';
import { type NewSuggestion, readSuggestion, type Suggestion } from './suggestion.ts';
import { isoTime } from './time.ts';

export interface SuggestionStoreOptions {
  readonly homePath: string;
  readonly zone: string;
  readonly log: Log;
  /** Milliseconds since 1970; default: the clock of the machine. */
  readonly now?: () => number;
}

/** `known`: it waits, or somebody decided on it. `full`: so many wait that none is added. */
export type Added = 'added' | 'known' | 'full';

/** More would be a wall that nobody reads. */
const mostPending = 5;

/**
 * In the format of the original. Records of others and their keys stay; every change reads the file, changes it and writes
 * it whole, under one lock.
 */
export class SuggestionStore {
  readonly #options: SuggestionStoreOptions;
  readonly #path: string;

  constructor(options: SuggestionStoreOptions) {
    this.#options = options;
    this.#path = join(options.homePath, 'cron', 'suggestions.json');
  }

  /** Oldest first: the order of their numbers. */
  pending(): Suggestion[] {
    return pendingOf(this.#read().records);
  }

  /** Never offers again what was accepted or dismissed. */
  async add({ title, description, source, jobSpec, dedupKey }: NewSuggestion): Promise<Added> {
    return await this.#locked(() =>
      this.#rewrite((records): Rewritten<Added> => {
        if (records.some((record) => record['dedup_key'] === dedupKey)) return { records, result: 'known' };
        if (pendingOf(records).length >= mostPending) return { records, result: 'full' };
        const record = {
          id: randomBytes(6).toString('hex'),
          title,
          description,
          source,
          job_spec: { ...jobSpec },
          dedup_key: dedupKey,
          status: 'pending',
          created_at: this.#time(),
        };
        return { records: [...records, record], result: 'added' };
      }),
    );
  }

  /**
   * Makes the job of one that waits, named by its number, id or title; undefined when none does. What `make` throws leaves
   * it waiting. Two who accept the same make one job.
   */
  async accept<T>(reference: string, make: (suggestion: Suggestion) => Promise<T>): Promise<T | undefined> {
    return await this.#locked(async () => {
      const found = find(this.pending(), reference);
      if (found === undefined) return undefined;
      const made = await make(found);
      this.#resolve(found.id, 'accepted');
      return made;
    });
  }

  /** The one that was dismissed; undefined when none waits under that number, id or title. */
  async dismiss(reference: string): Promise<Suggestion | undefined> {
    return await this.#locked(() => {
      const found = find(this.pending(), reference);
      if (found !== undefined) this.#resolve(found.id, 'dismissed');
      return found;
    });
  }

  /** Returns how many were forgotten. Those that were dismissed stay, or they would be offered again. */
  async forgetAccepted(): Promise<number> {
    return await this.#locked(() =>
      this.#rewrite((records) => {
        const kept = records.filter(({ status }) => status !== 'accepted');
        const result = records.length - kept.length;
        return { records: result === 0 ? records : kept, result };
      }),
    );
  }

  #resolve(id: string, status: 'accepted' | 'dismissed'): void {
    const resolved = { status, resolved_at: this.#time() };
    this.#rewrite((records) => ({
      records: records.map((record) => (record['id'] === id ? { ...record, ...resolved } : record)),
      result: undefined,
    }));
  }

  async #locked<T>(work: () => Promise<T> | T): Promise<T> {
    const folder = join(this.#options.homePath, 'cron');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    return await withFileLock(join(folder, '.suggestions.lock'), work, { timeoutMs: lockMs });
  }

  /** The original has no lock: what it wrote in between is read again. The same list means that nothing is to be written. */
  #rewrite<T>(change: (records: readonly JsonObject[]) => Rewritten<T>): T {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const file = this.#read();
      const { records, result } = change(file.records);
      if (records === file.records || writeRecordsFile(this.#path, file, records, this.#time())) return result;
    }
    throw new UserError(`${this.#path} is being changed by another program all the time.`, {
      hint: 'Look for a hermes that runs beside this one, and stop it.',
    });
  }

  #read(): RecordsFile {
    const file = readRecordsFile(this.#path, 'suggestions');
    if (file.problem !== undefined) this.#options.log.warning(file.problem);
    return file;
  }

  #time(): string {
    return isoTime(this.#options.now?.() ?? Date.now(), this.#options.zone);
  }
}

const lockMs = 30_000;
const mostTries = 20;

interface Rewritten<T> {
  readonly records: readonly JsonObject[];
  readonly result: T;
}

function pendingOf(records: readonly JsonObject[]): Suggestion[] {
  return records.flatMap((record) => {
    const suggestion = readSuggestion(record);
    return suggestion?.status === 'pending' ? [suggestion] : [];
  });
}

function find(pending: readonly Suggestion[], reference: string): Suggestion | undefined {
  const wanted = reference.trim().toLowerCase();
  return (
    pending.find(({ id }) => id === wanted) ??
    (/^\d{1,3}$/.test(wanted) ? pending[Number(wanted) - 1] : undefined) ??
    pending.find(({ title }) => title.toLowerCase() === wanted)
  );
}
