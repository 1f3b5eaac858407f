/** What the user typed before, shared by all sessions of a home. */
import { appendFileSync, chmodSync, readFileSync } from 'node:fs';
import { writeFileAtomic } from '../../config/atomic-file.ts';
import { parseJson } from '../../lib/json.ts';

const maxEntries = 1000;
const maxEntryChars = 20_000;

export interface InputHistory {
  /** Oldest first. */
  readonly entries: readonly string[];
  add(text: string): void;
}

/**
 * Opens the history file: one JSON string a line, mode 0600. Lines of other programs' format are read as plain text.
 * History is a convenience: a file that cannot be read or written never stops a chat.
 */
export function openInputHistory(path: string): InputHistory {
  const lines = readLines(path);
  const entries = lines
    .slice(-maxEntries)
    .map(parseLine)
    .filter((entry) => entry !== '');
  if (lines.length > maxEntries * 2) rewrite(path, entries);
  return {
    entries,
    add(text) {
      if (text.trim() === '' || text.length > maxEntryChars || entries.at(-1) === text) return;
      entries.push(text);
      append(path, text);
    },
  };
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** prompt_toolkit, which the original uses, writes `# time` comments and lines that begin with `+`. */
function parseLine(line: string): string {
  if (line.startsWith('#')) return '';
  const parsed = line.startsWith('"') ? parseJson(line) : undefined;
  if (typeof parsed === 'string') return parsed;
  return line.startsWith('+') ? line.slice(1) : line;
}

function append(path: string, text: string): void {
  try {
    appendFileSync(path, `${JSON.stringify(text)}\n`, { mode: 0o600 });
    chmodSync(path, 0o600);
  } catch {
    // A read-only home still chats.
  }
}

function rewrite(path: string, entries: readonly string[]): void {
  try {
    writeFileAtomic(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  } catch {
    // As above: the next start tries again.
  }
}
