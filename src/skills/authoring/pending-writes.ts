/** Changes that wait for a person: one file each under `pending/skills/`, so that they outlive the process. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorCode, UserError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import { manageActions } from './manage-actions.ts';
import type { ManageRequest } from './skill-change.ts';

export interface PendingChange {
  readonly id: string;
  readonly summary: string;
  /** `foreground` or `background_review`. */
  readonly origin: string;
  /** ISO time. */
  readonly createdAt: string;
  readonly request: ManageRequest;
}

export interface PendingChanges {
  /** Oldest first; files that make no sense are left out. */
  list(): readonly PendingChange[];
  find(id: string): PendingChange | undefined;
  /** Throws `UserError` when too many wait already. */
  add(request: ManageRequest, origin: string): PendingChange;
  remove(id: string): void;
}

export function openPendingChanges(homePath: string, now: () => Date): PendingChanges {
  const folder = join(homePath, 'pending', 'skills');
  const fileOf = (id: string) => join(folder, `${id}.json`);
  const find = (id: string) => (idShape.test(id) ? readPending(fileOf(id), id) : undefined);
  return {
    find,
    list() {
      return idsIn(folder)
        .flatMap((id) => find(id) ?? [])
        .sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
    },
    add(request, origin) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (idsIn(folder).length >= mostPending) {
        throw new UserError(`${mostPending} changes of skills wait for approval already.`, {
          hint: 'Review them with /skills pending, then try again.',
        });
      }
      const change = {
        id: randomBytes(4).toString('hex'),
        summary: summarize(request),
        origin,
        createdAt: now().toISOString(),
        request,
      };
      const { id, summary, createdAt } = change;
      const record = { id, subsystem: 'skills', summary, origin, created_at: createdAt, payload: request };
      writeFileAtomic(fileOf(id), `${JSON.stringify(record, null, 2)}\n`);
      return change;
    },
    remove: (id) => {
      if (idShape.test(id)) rmSync(fileOf(id), { force: true });
    },
  };
}

const mostPending = 200;
const largestPending = 8 * 1024 * 1024;
const idShape = /^[A-Za-z0-9_-]{1,64}$/;

const payloadShape = z.object({
  action: z.enum(manageActions),
  name: z.string(),
  content: z.string().nullish().transform(orNothing),
  category: z.string().nullish().transform(orNothing),
  old_string: z.string().nullish().transform(orNothing),
  new_string: z.string().nullish().transform(orNothing),
  replace_all: z.boolean().nullish().transform(orNothing),
  file_path: z.string().nullish().transform(orNothing),
  file_content: z.string().nullish().transform(orNothing),
});
const recordShape = z.object({
  summary: z.string().optional().catch(undefined),
  origin: z.string().catch('foreground'),
  created_at: z
    .union([z.string(), z.number().transform((seconds) => new Date(seconds * 1_000).toISOString())])
    .catch(''),
  payload: payloadShape,
});

function orNothing<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => (/^[^.].*\.json$/.test(name) ? [name.slice(0, -5)] : []));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function readPending(path: string, id: string): PendingChange | undefined {
  let text: string;
  try {
    if (statSync(path).size > largestPending) return undefined;
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const parsed = recordShape.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const { summary, origin, created_at: createdAt, payload } = parsed.data;
  return { id, summary: summary ?? summarize(payload), origin, createdAt, request: payload };
}

function summarize({ action, name, file_path: file, category }: ManageRequest): string {
  const place = file ?? (category === undefined || category === '' ? '' : `in ${category}`);
  return `${action} ${name}${place === '' ? '' : ` ${place}`}`;
}
