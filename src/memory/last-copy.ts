/** What this program last wrote into a memory file, kept beside it: the way back when another program's save loses it. */
import { statSync } from 'node:fs';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { parseJson } from '../lib/json.ts';
import type { EntriesDelta } from './merge-entries.ts';
import { readMemoryFile } from './read-memory-file.ts';

export interface LastCopy {
  /** The whole file as we left it. */
  readonly text: string;
  /** Of the file as we left it, from `identityOf`. */
  readonly identity: string;
  /** The changes of the last seconds, oldest first; `at` in milliseconds since 1970. */
  readonly changes: readonly (EntriesDelta & { readonly at: number })[];
}

/** A program that saves within this time of a change of ours had read the file before it: no person edits as fast. */
export const overlapMs = 250;
const maxChanges = 50;

const shape = z.object({
  text: z.string(),
  identity: z.string(),
  changes: z
    .array(z.object({ added: z.array(z.string()), removed: z.array(z.string()), at: z.number() }))
    .max(maxChanges),
});

const noCopy: LastCopy = { text: '', identity: '', changes: [] };

/** The copy; an empty one where there is none that can be read. */
export function readLastCopy(path: string): LastCopy {
  try {
    const text = readMemoryFile(path);
    if (text === '') return noCopy;
    const read = shape.safeParse(parseJson(text));
    return read.success ? read.data : noCopy;
  } catch {
    // Only a safety net: without it the file counts as it is.
    return noCopy;
  }
}

/** Keeps the copy, with `change` as its newest. Does not wait for the disk: the file itself is safe already. */
export function keepLastCopy(
  path: string,
  before: LastCopy,
  now: Omit<LastCopy, 'changes'>,
  change: EntriesDelta,
): void {
  const at = Date.now();
  const recent = before.changes.filter((known) => at - known.at < 10 * overlapMs).slice(1 - maxChanges);
  writeFileAtomic(path, JSON.stringify({ ...now, changes: [...recent, { ...change, at }] }), { durable: false });
}

/** Tells one state of a file from the next; empty for none. */
export function identityOf(path: string): string {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
  return facts === undefined ? '' : `${facts.ino}:${facts.size}:${facts.mtimeNs}`;
}
