/** Writes the audit log: one line an entry, each chained to the one before it, whichever process wrote that. */
import { closeSync, existsSync, fdatasyncSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import { errorCode, UserError } from '../lib/errors.ts';
import { withFileLock } from '../lib/file-lock.ts';
import { chain, type Link } from './chain.ts';
import { type ChainEnd, findEnd } from './chain-end.ts';
import type { AuditEntry, Lost } from './entry.ts';
import { type AuditFiles, auditFiles, firstAfterRotation, rotate } from './files.ts';
import { makeKey, readKey, writeSeal } from './seal.ts';

export interface AuditLogOptions {
  readonly homePath: string;
  readonly limits: AuditLimits;
  /** Told when the log cannot be written, once until it can be again. */
  readonly onProblem?: (error: unknown) => void;
  readonly now?: () => Date;
}

export interface AuditLimits {
  /** A file that would grow beyond this is set aside as `audit.jsonl.1`. */
  readonly maxBytes: number;
  /** How many older files are kept. */
  readonly backups: number;
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly durable: boolean;
  /** Told the number of the entry; undefined when it could not be written by now. */
  readonly written: (seq: number | undefined) => void;
}

/** Entries that could not be written yet; with more, the oldest are lost, which the next one that is written says. */
const maxWaiting = 1000;
const lockTimeoutMs = 2000;

/**
 * Nothing is opened or made before the first entry. Never throws: where nothing can be written, work goes on, and entries
 * wait for the next try.
 *
 * @example
 * const log = new AuditLog({ homePath, limits: { maxBytes: 10_000_000, backups: 9 } });
 * const seq = await log.write(entry, { durable: true });
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #files: AuditFiles;
  #waiting: Waiting[] = [];
  /** Told when the lock is free again: whoever hears of it may write the next one. */
  #written: (() => void)[] = [];
  #lost = 0;
  #draining = false;
  #failing = false;
  #key: Buffer | undefined;
  /** How the file was left by this process. */
  #left: { readonly ino: number; readonly size: number; readonly link: Link; readonly first: number } | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#files = auditFiles(options.homePath);
  }

  /** Resolves when the entry is in the file, with its number; with `durable`, when it is on the disk. */
  write(entry: AuditEntry, { durable = false }: { readonly durable?: boolean } = {}): Promise<number | undefined> {
    return new Promise((written) => {
      this.#waiting.push({ entry, durable, written });
      if (this.#waiting.length > maxWaiting) {
        this.#waiting.shift()?.written(undefined);
        this.#lost += 1;
      }
      if (!this.#draining) void this.#drain();
    });
  }

  /** Never rejects. */
  async #drain(): Promise<void> {
    this.#draining = true;
    try {
      while (this.#waiting.length > 0) {
        this.#prepare();
        const timeoutMs = this.#failing ? 0 : lockTimeoutMs;
        await withFileLock(this.#files.lock, () => this.#append(), { timeoutMs });
        this.#failing = false;
        this.#tellWritten();
      }
    } catch (error) {
      this.#left = undefined;
      if (!this.#failing) this.#options.onProblem?.(error);
      this.#failing = true;
      this.#tellWritten();
      // They stay for the next try, and nobody waits for that.
      for (const { written } of this.#waiting) written(undefined);
    }
    // At once with the last look at what waits: who comes later begins anew.
    this.#draining = false;
  }

  #tellWritten(): void {
    for (const tell of this.#written) tell();
    this.#written = [];
  }

  /** Makes the folder, though not the home around it: one that was removed is not brought back by its log. */
  #prepare(): void {
    if (existsSync(this.#files.directory)) return;
    if (!existsSync(this.#options.homePath)) throw new UserError(`${this.#options.homePath} is gone.`);
    try {
      mkdirSync(this.#files.directory, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }

  /** All that waits, in one write; the lock is held. */
  #append(): void {
    const batch = this.#waiting;
    const end = this.#end();
    const lines = this.#chained(batch, end);
    const text = Buffer.from((end.open ? '\n' : '') + lines.text);
    const first = this.#makeRoom(text.length, end, lines.numbers[0] ?? end.link.seq + 1);
    const file = openSync(this.#files.log, 'a', 0o600);
    try {
      for (let done = 0; done < text.length; ) done += writeSync(file, text, done);
      if (batch.some(({ durable }) => durable)) fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    // Nothing was added meanwhile: all this happens at one go.
    this.#waiting = [];
    this.#lost = 0;
    this.#written.push(
      ...batch.map(
        ({ written }, index) =>
          () =>
            written(lines.numbers[index]),
      ),
    );
    const { link } = lines;
    this.#key ??= readKey(this.#files) ?? makeKey(this.#files);
    writeSeal(this.#files, { link, first }, this.#key);
    const { ino, size } = statSync(this.#files.log);
    this.#left = { ino, size, link, first };
  }

  #end(): ChainEnd {
    const found = statSync(this.#files.log, { throwIfNoEntry: false });
    const left = this.#left;
    if (left !== undefined && found?.ino === left.ino && found.size === left.size) {
      return { link: left.link, first: left.first, resumed: undefined, open: false };
    }
    this.#key ??= readKey(this.#files);
    return findEnd(this.#files, this.#key);
  }

  #chained(batch: readonly Waiting[], { link: start, resumed }: ChainEnd) {
    const time = timeWithOffset((this.#options.now ?? (() => new Date()))());
    let link = start;
    let text = '';
    const add = (entry: object): number => {
      const made = chain(entry, link, time);
      text += made.line;
      link = made.link;
      return link.seq;
    };
    if (resumed !== undefined) add(resumed);
    const lost: Lost = this.#lost === 0 ? {} : { lost: this.#lost };
    const numbers = batch.map(({ entry }, index) => add(index === 0 ? { ...entry, ...lost } : entry));
    return { text, link, numbers };
  }

  /** Returns the number of the oldest line that is kept. */
  #makeRoom(bytes: number, { first, link, resumed }: ChainEnd, next: number): number {
    const { maxBytes, backups } = this.#options.limits;
    const size = statSync(this.#files.log, { throwIfNoEntry: false })?.size ?? 0;
    // What is said about the end of a file stands in the same file.
    if (size === 0 || size + bytes <= maxBytes || resumed !== undefined) return first;
    const kept = backups === 0 ? next : (firstAfterRotation(this.#files, backups) ?? first);
    // Told before it is done: a file that is still there is no problem, one that is missing is.
    this.#key ??= readKey(this.#files) ?? makeKey(this.#files);
    writeSeal(this.#files, { link, first: kept }, this.#key);
    rotate(this.#files, backups);
    return kept;
  }
}

/** `2026-11-24T09:05:07.042+01:00` */
function timeWithOffset(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  const local = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, -1);
  const two = (part: number): string => String(part).padStart(2, '0');
  const ahead = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}
