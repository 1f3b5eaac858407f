/** One line of what the owner lets run without a question (`approvals.allow`). */
import type { JsonValue } from '../lib/json.ts';

/**
 * A pattern, in every folder; one in a folder and below; or a command as it is written, in the folder where it was
 * allowed.
 */
export type AllowEntry =
  | string
  | { readonly pattern: string; readonly folder?: string | undefined }
  | { readonly command: string; readonly folder?: string | undefined };

/** The form in which it stands in the configuration. */
export function storableEntry(entry: AllowEntry): JsonValue {
  if (typeof entry === 'string') return entry;
  const folder = entry.folder === undefined ? {} : { folder: entry.folder };
  return 'command' in entry ? { command: entry.command, ...folder } : { pattern: entry.pattern, ...folder };
}

/** A text by which entries that mean the same are the same. */
export function allowEntryKey(entry: AllowEntry): string {
  return JSON.stringify(storableEntry(typeof entry === 'string' ? { pattern: entry } : entry));
}

/** True for a command as it was written, which a person has seen; false for patterns. */
export function isExactCommand(entry: AllowEntry): boolean {
  return typeof entry !== 'string' && 'command' in entry;
}
