/** One session as it is exported: the row and its messages, read from the line that the store writes. */
import * as z from 'zod';
import type { SessionStore } from '../../../sessions/session-store.ts';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

const message = z.looseObject({
  id: z.number(),
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullable(),
  timestamp: z.number(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().optional(),
        type: z.string().optional(),
        function: z.looseObject({ name: z.string(), arguments: z.string() }),
      }),
    )
    .nullable()
    .catch(null),
  tool_name: z.string().nullable(),
  tool_call_id: z.string().nullable(),
  active: z.number().default(1),
});

const record = z.looseObject({
  id: z.string(),
  source: z.string(),
  model: z.string().nullable(),
  title: z.string().nullable(),
  billing_provider: z.string().nullable(),
  started_at: z.number(),
  ended_at: z.number().nullable(),
  end_reason: z.string().nullable(),
  parent_session_id: z.string().nullable(),
  tool_call_count: z.number().nullable(),
  message_count: z.number().nullable(),
  cwd: z.string().nullable().default(null),
  git_branch: z.string().nullable().default(null),
  archived: z.number().default(0),
  messages: z.array(message),
});

export type SessionRecord = z.infer<typeof record>;
export type RecordedMessage = SessionRecord['messages'][number];

/** Undefined when there is no such session. What was undone or compacted away is left out. */
export async function readRecord(store: SessionStore, id: string): Promise<SessionRecord | undefined> {
  let line = '';
  for await (const piece of store.maintenance.exportSession(id)) line += piece;
  if (line === '') return undefined;
  const read = record.parse(JSON.parse(line));
  return { ...read, messages: read.messages.filter(({ active }) => active === 1) };
}

/** The session with those it was compacted from, the first one first; at most 100. */
export async function readLineage(store: SessionStore, last: SessionRecord): Promise<readonly SessionRecord[]> {
  const segments = [last];
  while (segments.length < 100) {
    const parent = segments[0]?.parent_session_id ?? null;
    const before = parent === null ? undefined : await readRecord(store, parent);
    if (before?.end_reason !== 'compression' || segments.some(({ id }) => id === before.id)) break;
    segments.unshift(before);
  }
  return segments;
}

/** `2026-07-05T14:30:00.123000Z`, as the original writes it. */
export function utcTime(seconds: number): string {
  const micro = Math.round(seconds * 1e6);
  const whole = new Date(Math.floor(micro / 1e6) * 1000).toISOString().slice(0, 19);
  const rest = micro % 1_000_000;
  return `${whole}${rest === 0 ? '' : `.${String(rest).padStart(6, '0')}`}Z`;
}
