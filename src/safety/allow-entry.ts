/** One line of what the owner lets run without a question (`approvals.allow`). */
import type { JsonValue } from '../lib/json.ts';
import { changedFiles, type RunFile } from './run-file.ts';

/**
 * A pattern, in every folder; one in a folder and below; or a command as it is written, in the folder where it was
 * allowed. `files` are those that it ran then, with their states: it holds as long as they are the same.
 */
export type AllowEntry =
  | string
  | { readonly pattern: string; readonly folder?: string | undefined; readonly files?: FileStates | undefined }
  | { readonly command: string; readonly folder?: string | undefined; readonly files?: FileStates | undefined };

/** By path, as in `RunFile`. */
type FileStates = Readonly<Record<string, string>>;

/** The form in which it stands in the configuration. */
export function storableEntry(entry: AllowEntry): JsonValue {
  if (typeof entry === 'string') return entry;
  const { folder, files } = entry;
  const where = { ...(folder === undefined ? {} : { folder }), ...(files === undefined ? {} : { files }) };
  return 'command' in entry ? { command: entry.command, ...where } : { pattern: entry.pattern, ...where };
}

/** A text by which entries that mean the same are the same. */
export function allowEntryKey(entry: AllowEntry): string {
  return JSON.stringify(storableEntry(typeof entry === 'string' ? { pattern: entry } : entry));
}

/** The list with the entry in it, in the place of one that is the same but for its files. */
export function withEntry(entries: readonly AllowEntry[], entry: AllowEntry): readonly AllowEntry[] {
  const key = allowEntryKey(withFiles(entry, undefined));
  return [...entries.filter((known) => allowEntryKey(withFiles(known, undefined)) !== key), entry];
}

export function withFiles(entry: AllowEntry, runs: readonly RunFile[] | undefined): AllowEntry {
  const { files: _, ...rest } = typeof entry === 'string' ? { pattern: entry, files: undefined } : entry;
  // Beside one that is there, a missing one says that no other may take its place.
  if (runs === undefined || runs.every(({ state }) => state === 'none')) return rest;
  return { ...rest, files: Object.fromEntries(runs.map(({ path, state }) => [path, state])) };
}

/** What of the files is not as it was when the entry was made. An open pattern says nothing of files it did not know. */
export function changedFor(entry: AllowEntry, now: readonly RunFile[]): readonly string[] {
  if (typeof entry === 'string' || entry.files === undefined) return [];
  const { files } = entry;
  const known = Object.entries(files).map(([path, state]) => ({ path, state }));
  if ('command' in entry) return changedFiles(known, now);
  return now.flatMap(({ path, state }) => ((files[path] ?? state) === state ? [] : [path]));
}

/** True for a command as it was written, which a person has seen; false for patterns. */
export function isExactCommand(entry: AllowEntry): boolean {
  return typeof entry !== 'string' && 'command' in entry;
}
