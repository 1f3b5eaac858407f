/** What the user typed before, shared by all sessions of a home. */
import { appendFileSync, chmodSync, closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { writeFileAtomic } from '../../lib/atomic-file.ts';

const maxEntries = 1000;
const maxEntryChars = 20_000;
/** Only the end of a longer file is read … */
const readBytes = 1024 * 1024;
/** … and a file of this size is cut down to that end. */
const maxFileBytes = 8 * 1024 * 1024;

export interface InputHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  add(text: string): void;
}

/**
 * Opens the history file, mode 0600, in the format that the original shares: a `# time` comment, then the lines of one
 * input, each after a `+`. What `holdsSecret` says yes to is remembered until the end of the run and not written.
 * History is a convenience: a file that cannot be read or written never stops a chat.
 */
export function openInputHistory(path: string, holdsSecret: (text: string) => boolean = () => false): InputHistory {
  const { text, size } = readEnd(path);
  const entries = parseEntries(text).slice(-maxEntries);
  if (size > maxFileBytes) ignoreFailure(() => writeFileAtomic(path, entries.map(formatEntry).join('')));
  return {
    entries,
    add(entry) {
      if (entry.trim() === '' || entry.length > maxEntryChars || entries.at(-1) === entry) return;
      entries.push(entry);
      if (entries.length > maxEntries) entries.shift();
      if (holdsSecret(entry)) return;
      ignoreFailure(() => {
        appendFileSync(path, formatEntry(entry), { mode: 0o600 });
        chmodSync(path, 0o600);
      });
    },
  };
}

function readEnd(path: string): { text: string; size: number } {
  try {
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
  } catch {
    return { text: '', size: 0 };
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

/** A read-only home still chats. */
function ignoreFailure(write: () => void): void {
  try {
    write();
  } catch {
    // The next start tries again.
  }
}
