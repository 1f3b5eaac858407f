/** One log file on disk: lines are gathered and appended in the background, and a full file makes room for a new one. */
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from './errors.ts';
import { tryFileLock } from './file-lock.ts';

export interface LogFileLimits {
  /** A file that would grow beyond this becomes `NAME.1`. */
  readonly maxBytes: number;
  /** How many old files are kept (`NAME.1` is the newest); 0 keeps none. */
  readonly backups: number;
}

const flushAfterMs = 200;
/** Lines that wait for the disk; what comes on top is counted and dropped. */
const maxWaitingChars = 256 * 1024;

const waitingFiles = new Set<LogFile>();
let hooked = false;

/** One listener for all files: each with its own would look like a leak where many homes are open at once. */
function flushWhenTheProcessEnds(file: LogFile): void {
  waitingFiles.add(file);
  if (hooked) return;
  hooked = true;
  process.on('exit', () => {
    for (const waiting of waitingFiles) waiting.flush();
  });
}

/**
 * Never throws: where nothing can be written, the lines are lost. Several processes may append to the same file, since
 * each append is one write at its end.
 */
export class LogFile {
  readonly #path: string;
  #waiting: string[] = [];
  #waitingChars = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #limits: LogFileLimits;

  constructor(path: string, limits: LogFileLimits) {
    this.#path = path;
    this.#limits = limits;
  }

  limit(limits: LogFileLimits): void {
    this.#limits = limits;
  }

  /** Takes whole lines, each with its line break. Returns before they are written. */
  append(lines: string): void {
    if (this.#waitingChars + lines.length > maxWaitingChars) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(lines);
    this.#waitingChars += lines.length;
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#write(), flushAfterMs).unref();
    flushWhenTheProcessEnds(this);
  }

  /** Writes what waits before it returns. */
  flush(): void {
    const text = this.#take();
    if (text === '') return;
    try {
      this.#prepare(text);
      appendFileSync(this.#path, text, { mode: 0o600 });
    } catch {
      // A log that cannot be written has nowhere to say so.
    }
  }

  async #write(): Promise<void> {
    const text = this.#take();
    if (text === '') return;
    try {
      this.#prepare(text);
      await appendFile(this.#path, text, { mode: 0o600 });
    } catch {
      // A log that cannot be written has nowhere to say so.
    }
  }

  #take(): string {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    waitingFiles.delete(this);
    if (this.#dropped > 0) this.#waiting.push(`    (${this.#dropped} more entries came too fast and were dropped)\n`);
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#dropped = 0;
    return text;
  }

  /** Makes the directory, though not the home around it: one that was removed is not brought back by its log. */
  #prepare(text: string): void {
    const size = this.#size();
    if (size === undefined) makeDirectory(dirname(this.#path));
    else if (size > 0 && size + Buffer.byteLength(text) > this.#limits.maxBytes) this.#rotate(text);
  }

  /** Only one process may: the second would push the first one's new file away. Who comes too late just appends. */
  #rotate(text: string): void {
    const lock = tryFileLock(join(dirname(this.#path), '.rotate.lock'));
    if (lock === undefined) return;
    try {
      if ((this.#size() ?? 0) + Buffer.byteLength(text) <= this.#limits.maxBytes) return;
      const { backups } = this.#limits;
      rmSync(backups === 0 ? this.#path : `${this.#path}.${backups}`, { force: true });
      for (let number = backups - 1; number >= 0; number -= 1) {
        renameIfThere(number === 0 ? this.#path : `${this.#path}.${number}`, `${this.#path}.${number + 1}`);
      }
    } finally {
      lock.close();
    }
  }

  #size(): number | undefined {
    return statSync(this.#path, { throwIfNoEntry: false })?.size;
  }
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
