/** The last lines of a log file, and those that come after. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../lib/errors.ts';
import type { LogLines } from './filter.ts';

/** The last `count` lines that pass, and how far the file was read (bytes). Throws `ENOENT` when there is no file. */
export async function readTail(
  path: string,
  lines: LogLines,
  count: number,
): Promise<{ readonly tail: readonly string[]; readonly position: number }> {
  // What is written meanwhile is left to whoever follows the file.
  const { size } = await stat(path);
  if (size === 0) return { tail: [], position: 0 };
  const tail: string[] = [];
  const input = createReadStream(path, { encoding: 'utf8', end: size - 1 });
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!lines.shows(line)) continue;
    tail.push(line);
    if (tail.length > count * 2 + 1000) tail.splice(0, tail.length - count);
  }
  return { tail: count === 0 ? [] : tail.slice(-count), position: size };
}

const pollMs = 250;
const chunkBytes = 64 * 1024;
/** A line without an end is shown in pieces. */
const maxLineChars = 1024 * 1024;

/** Reads what is appended to a file, also after the file was replaced by a new one. */
export class LogFollower {
  readonly #path: string;
  readonly #lines: LogLines;
  readonly #show: (line: string) => void;
  #position: number;
  #inode: number | undefined;
  #rest = '';
  #decoder = new StringDecoder('utf8');

  constructor(path: string, start: { lines: LogLines; position: number }, show: (line: string) => void) {
    this.#path = path;
    this.#lines = start.lines;
    this.#position = start.position;
    this.#show = show;
  }

  /** Returns when the signal comes. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#readOn();
      // Its only failure is the signal, which the loop looks at itself.
      await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #readOn(): Promise<void> {
    await using file = await openIfThere(this.#path);
    if (file === undefined) return;
    const { ino, size } = await file.stat();
    if ((this.#inode !== undefined && ino !== this.#inode) || size < this.#position) this.#startOver();
    this.#inode = ino;
    for (;;) {
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(chunkBytes), position: this.#position });
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      this.#take(this.#decoder.write(buffer.subarray(0, bytesRead)));
    }
  }

  #startOver(): void {
    this.#position = 0;
    this.#rest = '';
    this.#decoder = new StringDecoder('utf8');
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > maxLineChars) lines.push(this.#rest);
    if (this.#rest.length > maxLineChars) this.#rest = '';
    for (const line of lines) if (this.#lines.shows(line)) this.#show(line);
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    // Between the two steps of a rotation there is no file.
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
