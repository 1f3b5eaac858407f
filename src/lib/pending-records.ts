/** Writes that wait for a person: one JSON file each in a folder, so that they outlive the process. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from './atomic-file.ts';
import { errorCode, UserError } from './errors.ts';
import { parseJson } from './json.ts';

export interface PendingRecord<Payload, Origin extends string> {
  /** The name of the file: it is what an approval takes away. */
  readonly id: string;
  readonly origin: Origin;
  /** In a few words; absent where the writer gave none. */
  readonly summary: string | undefined;
  /** ISO time; empty when the file does not tell. */
  readonly createdAt: string;
  readonly payload: Payload;
}

export interface PendingRecordsOptions<Payload, Origin extends string> {
  /** The active home, absolute. */
  readonly homePath: string;
  /** The folder below `pending/`, and the `subsystem` of each record. */
  readonly subsystem: 'memory' | 'skills';
  readonly payload: z.ZodType<Payload>;
  /** The payload as the file has it. */
  readonly encode: (payload: Payload) => object;
  readonly origin: z.ZodType<Origin>;
  readonly now: () => Date;
}

const maxPending = 200;
const maxBytes = 8 * 1024 * 1024;
const idShape = /^[A-Za-z0-9_-]{1,64}$/;
const isoTime = z.union([z.string(), z.number().transform((seconds) => new Date(seconds * 1_000).toISOString())]);

/** The records of one subsystem. What is not a record of it is left out; a folder that cannot be read throws. */
export class PendingRecords<Payload, Origin extends string> {
  readonly #folder: string;
  readonly #options: PendingRecordsOptions<Payload, Origin>;
  /** Made when it is needed: most sessions read none. */
  #shape: ReturnType<typeof shapeOf<Payload, Origin>> | undefined;

  constructor(options: PendingRecordsOptions<Payload, Origin>) {
    this.#options = options;
    this.#folder = join(options.homePath, 'pending', options.subsystem);
  }

  /** Oldest first. */
  list(): readonly PendingRecord<Payload, Origin>[] {
    const records = this.#ids().flatMap((id) => this.find(id) ?? []);
    return records.sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
  }

  find(id: string): PendingRecord<Payload, Origin> | undefined {
    if (!idShape.test(id)) return undefined;
    try {
      const path = this.#pathOf(id);
      const facts = statSync(path);
      if (!facts.isFile() || facts.size > maxBytes) return undefined;
      this.#shape ??= shapeOf(this.#options);
      const parsed = this.#shape.safeParse(parseJson(readFileSync(path, 'utf8')));
      if (!parsed.success) return undefined;
      const { summary, origin, created_at: createdAt, payload } = parsed.data;
      return { id, origin, summary, createdAt, payload };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Throws `UserError` when too many wait already. */
  add(payload: Payload, origin: Origin, summary?: string): PendingRecord<Payload, Origin> {
    const { subsystem, encode, now } = this.#options;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    if (this.#ids().length >= maxPending) {
      throw new UserError(`${maxPending} changes of ${subsystem} wait for approval already.`, {
        hint: `Review them with /${subsystem} pending, then try again.`,
      });
    }
    const record = { id: randomBytes(4).toString('hex'), origin, summary, createdAt: now().toISOString(), payload };
    const { id, createdAt } = record;
    const stored = { id, subsystem, summary, origin, created_at: createdAt, payload: encode(payload) };
    writeFileAtomic(this.#pathOf(id), `${JSON.stringify(stored, null, 2)}\n`);
    return record;
  }

  /** False for an unknown id. */
  remove(id: string): boolean {
    if (this.find(id) === undefined) return false;
    rmSync(this.#pathOf(id), { force: true });
    return true;
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #ids(): string[] {
    try {
      return readdirSync(this.#folder).flatMap((name) => (/^[^.].*\.json$/.test(name) ? [name.slice(0, -5)] : []));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }
}

function shapeOf<Payload, Origin extends string>({ origin, payload }: PendingRecordsOptions<Payload, Origin>) {
  return z.object({
    summary: z.string().optional().catch(undefined),
    origin,
    created_at: isoTime.catch(''),
    payload,
  });
}
