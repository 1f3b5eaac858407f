/** What the user typed before, shared by all sessions of a home. */
import { appendFileSync, chmodSync, closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorCode } from '../../lib/errors.ts';
import { type Log, noLog } from '../../lib/log.ts';

const maxEntries = 1000;
const maxEntryChars = 20_000;
/** Only the end of a longer file is read … */
const readBytes = 1024 * 1024;
/** … and a file of this size is cut down to that end. */
const maxFileBytes = 8 * 1024 * 1024;

/**
 * The history file, mode 0600, in the format that the original shares: a `# time` comment, then the lines of one input,
 * each after a `+`. History is a convenience: a file that cannot be read or written never stops a chat.
 */
export class InputHistory {
  readonly #path: string;
  readonly #holdsSecret: (text: string) => boolean;
  readonly #log: Log;
  readonly #entries: string[];

  /** What `holdsSecret` says yes to is remembered until the end of the run and not written. */
  constructor(path: string, holdsSecret: (text: string) => boolean = () => false, log: Log = noLog) {
    this.#path = path;
    this.#holdsSecret = holdsSecret;
    this.#log = log;
    const { text, size } = this.#readEnd();
    this.#entries = parseEntries(text).slice(-maxEntries);
    if (size > maxFileBytes) this.#write(() => writeFileAtomic(path, this.#entries.map(formatEntry).join('')));
  }

  /** Oldest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  add(entry: string): void {
    if (entry.trim() === '' || entry.length > maxEntryChars || this.#entries.at(-1) === entry) return;
    this.#entries.push(entry);
    if (this.#entries.length > maxEntries) this.#entries.shift();
    if (this.#holdsSecret(entry)) return;
    this.#write(() => {
      appendFileSync(this.#path, formatEntry(entry), { mode: 0o600 });
      chmodSync(this.#path, 0o600);
    });
  }

  /** A read-only home still chats. */
  #write(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#log.debug('the history of what was typed was not written', error);
    }
  }

  #readEnd(): { text: string; size: number } {
    try {
      return readEnd(this.#path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#log.warning('the history of what was typed was not read', error);
      return { text: '', size: 0 };
    }
  }
}

function readEnd(path: string): { text: string; size: number } {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, readBytes));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const text = bytes.toString('utf8', 0, read);
    // The first entry of an end is usually half of one.
    return { text: size > readBytes ? text.slice(text.indexOf('\n# ') + 1) : text, size };
  } finally {
    closeSync(file);
  }
}

function parseEntries(text: string): string[] {
  const entries: string[] = [];
  let lines: string[] = [];
  for (const line of [...text.split('\n'), '']) {
    if (line.startsWith('+')) {
      lines.push(line.slice(1));
      continue;
    }
    const entry = lines.join('\n');
    if (entry.trim() !== '') entries.push(entry);
    lines = [];
  }
  return entries;
}

function formatEntry(text: string): string {
  const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
  return `\n# ${time}\n${text
    .split('\n')
    .map((line) => `+${line}\n`)
    .join('')}`;
}
