/** Changes of skills that wait for a person, below `pending/skills/`. */
import * as z from 'zod';
import { type PendingRecord, PendingRecords } from '../../lib/pending-records.ts';
import { manageActions } from './manage-actions.ts';
import type { ManageRequest } from './skill-change.ts';

/** Who wanted a change: a person's conversation, or a look back that nobody asked for. */
export type ChangeOrigin = 'foreground' | 'background_review';

export type PendingChange = PendingRecord<ManageRequest, ChangeOrigin>;
export type PendingChanges = PendingRecords<ManageRequest, ChangeOrigin>;

const text = z.string().nullish().transform(orAbsent);
const payload: z.ZodType<ManageRequest> = z.object({
  action: z.enum(manageActions),
  name: z.string(),
  content: text,
  category: text,
  old_string: text,
  new_string: text,
  replace_all: z.boolean().nullish().transform(orAbsent),
  file_path: text,
  file_content: text,
  absorbed_into: text,
});

const origin = z.enum(['foreground', 'background_review']).catch('foreground');

export function openPendingChanges(homePath: string, now: () => Date): PendingChanges {
  return new PendingRecords({
    homePath,
    subsystem: 'skills',
    payload,
    encode: (request) => request,
    origin,
    now,
  });
}

/** A request in a few words. */
export function summarize({ action, name, file_path: file, category }: ManageRequest): string {
  const place = file ?? (category === undefined || category === '' ? '' : `in ${category}`);
  return `${action} ${name}${place === '' ? '' : ` ${place}`}`;
}

function orAbsent<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}
