/** The jobs of a home. Every change reads the file, changes it and writes it whole, under one lock. */
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import { normalized, readJob, type Job } from './job.ts';
import { readRecordsFile, type RecordsFile, writeRecordsFile } from './records-file.ts';
import { isoTime } from './time.ts';

export interface JobStoreOptions {
  readonly homePath: string;
  /** The zone whose clock counts, now: it may be changed in the settings. */
  readonly zone: () => string;
  readonly log: Log;
  /** Milliseconds since 1970; default: the clock of the machine. */
  readonly now?: () => number;
  readonly makeId?: () => string;
}

/** Keys of a record with their new values; a key of `undefined` is taken out. */
export type Patch = Readonly<Record<string, JsonValue | undefined>>;

/** What becomes of a record: other keys, nothing, or its end. */
export type Change = Patch | undefined | 'remove';

/**
 * Jobs of the format of the original, in `<home>/cron/jobs.json`. The lock is between programs of ours; one that locks
 * otherwise is noticed by what it wrote, right before our file takes the place of its own, and the change is made again.
 */
export class JobStore {
  readonly #options: JobStoreOptions;
  readonly #path: string;

  constructor(options: JobStoreOptions) {
    this.#options = options;
    this.#path = join(options.homePath, 'cron', 'jobs.json');
  }

  get zone(): string {
    return this.#options.zone();
  }

  now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  /** In the order of the file. A record that cannot be read is left out, with a line in the log. */
  list(): Job[] {
    const file = this.#read();
    return file.records.flatMap((record) => this.#view(record) ?? []);
  }

  get(id: string): Job | undefined {
    return this.list().find((job) => job.id === id);
  }

  /** The record with every key, known or not. */
  record(id: string): JsonObject | undefined {
    return this.#read().records.find((record) => record['id'] === id);
  }

  async add(record: JsonObject): Promise<void> {
    await this.#write((records) => ({ records: [...records, record], result: undefined }));
  }

  /** The changed job; undefined when it is gone, or was left as it is or ended. What `decide` throws changes nothing. */
  async change(id: string, decide: (job: Job) => Change): Promise<Job | undefined> {
    const changed = await this.changeAll((job) => (job.id === id ? decide(job) : undefined));
    return changed.find((job) => job.id === id);
  }

  /** Decides on each job in turn, in one write; returns those that were given other keys. */
  async changeAll(decide: (job: Job) => Change): Promise<Job[]> {
    return await this.#write((records) => {
      const kept: JsonObject[] = [];
      const changed: Job[] = [];
      for (const record of records) {
        const job = this.#view(record);
        const change = job === undefined ? undefined : decide(job);
        if (change === 'remove') continue;
        const next = change === undefined ? record : withChange(record, change);
        kept.push(next);
        const seen = change === undefined ? undefined : readJob(next);
        if (seen !== undefined) changed.push(seen);
      }
      return { records: kept, result: changed };
    });
  }

  /** An id that no job has. */
  freeId(): string {
    const taken = new Set(this.list().map(({ id }) => id));
    for (;;) {
      const id = this.#makeId();
      if (!taken.has(id)) return id;
    }
  }

  #makeId(): string {
    return this.#options.makeId?.() ?? randomBytes(6).toString('hex');
  }

  #read(): RecordsFile {
    const file = readRecordsFile(this.#path, 'jobs');
    if (file.problem !== undefined) this.#options.log.warning(file.problem);
    return { ...file, records: file.records.map((record) => normalized(record, () => idFor(record))) };
  }

  #view(record: JsonObject): Job | undefined {
    const job = readJob(record);
    if (job === undefined) this.#options.log.warning(`a scheduled job cannot be read: ${nameOf(record)}`);
    return job;
  }

  async #write<T>(
    change: (records: readonly JsonObject[]) => { records: readonly JsonObject[]; result: T },
  ): Promise<T> {
    const folder = join(this.#options.homePath, 'cron');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    return await withFileLock(join(folder, '.jobs.lock'), () => this.#rewrite(change), { timeoutMs: lockMs });
  }

  #rewrite<T>(change: (records: readonly JsonObject[]) => { records: readonly JsonObject[]; result: T }): T {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const file = this.#read();
      const { records, result } = change(file.records);
      // Records are never changed in place: the same ones mean that there is nothing to write.
      const isSame = records.length === file.records.length && records.every((one, at) => one === file.records[at]);
      if (isSame && (file.problem !== undefined || readsAsWritten(file))) return result;
      if (writeRecordsFile(this.#path, file, records, isoTime(this.now(), this.zone))) return result;
    }
    throw new UserError(`${this.#path} is being changed by another program all the time.`, {
      hint: 'Look for a hermes gateway that runs beside this one, and stop it.',
    });
  }
}

const lockMs = 30_000;
const mostTries = 20;

function withChange(record: JsonObject, change: Patch): JsonObject {
  const next = { ...record };
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) delete next[key];
    else next[key] = value;
  }
  return next;
}

/** The same for the same record, so that it can be named before it was ever written with one. */
function idFor(record: JsonObject): string {
  return createHash('sha256').update(JSON.stringify(record)).digest('hex').slice(0, 12);
}

/** False where reading mended something that is to be written so. */
function readsAsWritten({ text, records }: RecordsFile): boolean {
  return text === undefined ? records.length === 0 : readsPlainly(text);
}

function readsPlainly(text: string): boolean {
  try {
    return !Array.isArray(JSON.parse(text));
  } catch {
    // It was read leniently.
    return false;
  }
}

function nameOf(record: JsonObject): string {
  const { id, name } = record;
  return JSON.stringify([id, name].filter((part) => typeof part === 'string').join(' ')).slice(0, 100);
}
