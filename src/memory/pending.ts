/** Memory writes that wait for a person, below `pending/memory/`. */
import * as z from 'zod';
import { type PendingRecord, PendingRecords } from '../lib/pending-records.ts';
import type { MemoryChange } from './memory-change.ts';

/** `auto` where nobody asked for the change: a review or a flush beside the conversation. */
export type MemoryOrigin = 'foreground' | 'auto';

export type PendingWrite = PendingRecord<MemoryChange, MemoryOrigin>;
export type PendingWrites = PendingRecords<MemoryChange, MemoryOrigin>;

const payload = z
  .object({
    action: z.enum(['add', 'replace', 'remove']),
    target: z.enum(['memory', 'user']),
    content: z.string().optional(),
    old_text: z.string().optional(),
  })
  .transform(({ action, target, content, old_text: oldText }): MemoryChange => ({ action, target, content, oldText }));

export function openPendingWrites(homePath: string, now: () => Date): PendingWrites {
  return new PendingRecords({
    homePath,
    subsystem: 'memory',
    payload,
    encode: ({ action, target, content, oldText }) => ({ action, target, content, old_text: oldText }),
    origin: z.enum(['foreground', 'auto']).catch('auto'),
    now,
  });
}
