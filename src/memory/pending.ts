/** Memory writes that wait for a person: one file each under `pending/memory/`, so that they outlive the process. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomic-file.ts';
import { errorCode, UserError } from '../lib/errors.ts';
import { parseJson } from '../lib/json.ts';
import type { MemoryChange } from './memory-change.ts';

/** `auto` where nobody asked for the change: a review or a flush beside the conversation. */
export type MemoryOrigin = 'foreground' | 'auto';

export interface PendingWrite {
  readonly id: string;
  readonly origin: MemoryOrigin;
  /** ISO time. */
  readonly createdAt: string;
  readonly change: MemoryChange;
}

export interface PendingWrites {
  /** Oldest first; files that make no sense are left out. */
  list(): readonly PendingWrite[];
  find(id: string): PendingWrite | undefined;
  /** Throws `UserError` when too many wait already. */
  add(change: MemoryChange, origin: MemoryOrigin): PendingWrite;
  /** False for an unknown id. */
  remove(id: string): boolean;
}

const mostPending = 200;
const largestPending = 64 * 1024;
const idShape = /^[a-z0-9_-]{1,64}$/i;

const record = z.object({
  origin: z.enum(['foreground', 'auto']).catch('auto'),
  created_at: z.string(),
  payload: z.object({
    action: z.enum(['add', 'replace', 'remove']),
    target: z.enum(['memory', 'user']),
    content: z.string().optional(),
    old_text: z.string().optional(),
  }),
});

export function openPendingWrites(homePath: string, now: () => Date): PendingWrites {
  const folder = join(homePath, 'pending', 'memory');
  const fileOf = (id: string) => join(folder, `${id}.json`);
  const find = (id: string) => (idShape.test(id) ? read(id, fileOf(id)) : undefined);
  return {
    find,
    list: () =>
      idsIn(folder)
        .flatMap((id) => find(id) ?? [])
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt)),
    add(change, origin) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (idsIn(folder).length >= mostPending) {
        throw new UserError(`${mostPending} memory writes wait for approval already.`, {
          hint: 'Review them with /memory pending, then try again.',
        });
      }
      const write = { id: randomBytes(4).toString('hex'), origin, createdAt: now().toISOString(), change };
      const { action, target, content, oldText } = change;
      const payload = { action, target, content, old_text: oldText };
      const stored = { id: write.id, subsystem: 'memory', origin, created_at: write.createdAt, payload };
      writeFileAtomic(fileOf(write.id), `${JSON.stringify(stored, null, 2)}\n`);
      return write;
    },
    remove(id) {
      if (find(id) === undefined) return false;
      rmSync(fileOf(id), { force: true });
      return true;
    },
  };
}

/** The name of the file is the id: it is what an approval takes away. */
function read(id: string, path: string): PendingWrite | undefined {
  try {
    const facts = statSync(path);
    if (!facts.isFile() || facts.size > largestPending) return undefined;
    const parsed = record.safeParse(parseJson(readFileSync(path, 'utf8')));
    if (!parsed.success) return undefined;
    const { origin, created_at: createdAt, payload } = parsed.data;
    const { action, target, content, old_text: oldText } = payload;
    return { id, origin, createdAt, change: { action, target, content, oldText } };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
