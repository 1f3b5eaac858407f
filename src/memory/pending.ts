/** Memory writes that wait for a person, below `pending/memory/`. */
import * as z from 'zod';
import { type PendingRecord, PendingRecords } from '../lib/pending-records.ts';
import type { MemoryChange, MemoryOperation } from './memory-change.ts';

/** `auto` where nobody asked for the change: a review or a flush beside the conversation. */
export type MemoryOrigin = 'foreground' | 'auto';

export type PendingWrite = PendingRecord<MemoryChange, MemoryOrigin>;
export type PendingWrites = PendingRecords<MemoryChange, MemoryOrigin>;

const target = z.enum(['memory', 'user']);
const operation = {
  action: z.enum(['add', 'replace', 'remove']),
  content: z.string().nullish(),
  old_text: z.string().nullish(),
};

const payload = z.union([
  z
    .object({ ...operation, target })
    .transform((written): MemoryChange => ({ ...operationOf(written), target: written.target })),
  z
    .object({ target, operations: z.array(z.object(operation)).min(1) })
    .transform((batch): MemoryChange => ({ target: batch.target, operations: batch.operations.map(operationOf) })),
]);

const origin = z.enum(['foreground', 'auto']).catch('auto');

interface WrittenOperation {
  readonly action: MemoryOperation['action'];
  readonly content?: string | null | undefined;
  readonly old_text?: string | null | undefined;
}

function operationOf({ action, content, old_text: oldText }: WrittenOperation): MemoryOperation {
  return { action, content: content ?? undefined, oldText: oldText ?? undefined };
}

function written({ action, content, oldText }: MemoryOperation): WrittenOperation {
  return { action, content, old_text: oldText };
}

export function openPendingWrites(homePath: string, now: () => Date): PendingWrites {
  return new PendingRecords({
    homePath,
    subsystem: 'memory',
    payload,
    encode: (change) =>
      'operations' in change
        ? { action: 'batch', target: change.target, operations: change.operations.map(written) }
        : { ...written(change), target: change.target },
    origin,
    now,
  });
}
