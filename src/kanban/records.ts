/** Rows of a board. SQLite columns may hold any type, whatever was declared, and other programs write them too. */
import * as z from 'zod';
import { parseJson } from '../lib/json.ts';
import type { Row } from './database.ts';

const text = z.string().nullable().catch(null);
const whole = z.int().nullable().catch(null);
const count = z.int().catch(0);

const taskShape = z.object({
  id: z.string(),
  title: z.string(),
  body: text,
  assignee: text,
  status: z.string(),
  priority: count,
  created_by: text,
  created_at: count,
  started_at: whole,
  completed_at: whole,
  workspace_kind: z.string().catch('scratch'),
  workspace_path: text,
  branch_name: text,
  project_id: text,
  claim_lock: text,
  claim_expires: whole,
  tenant: text,
  result: text,
  consecutive_failures: count,
  max_runtime_seconds: whole,
  last_heartbeat_at: whole,
  current_run_id: whole,
  current_step_key: text,
  skills: text,
  model_override: text,
  max_retries: whole,
  goal_mode: z
    .unknown()
    .transform((value) => value === 1)
    .catch(false),
  goal_max_turns: whole,
  session_id: text,
  block_kind: text,
  block_recurrences: count,
});
export type Task = z.infer<typeof taskShape>;

const json = z
  .string()
  .nullable()
  .catch(null)
  .transform((written) => (written === null ? null : (parseJson(written) ?? null)));

const runShape = z.object({
  id: z.int(),
  task_id: z.string(),
  profile: text,
  status: z.string(),
  claim_lock: text,
  claim_expires: whole,
  last_heartbeat_at: whole,
  started_at: count,
  ended_at: whole,
  outcome: text,
  summary: text,
  metadata: json,
  error: text,
});
export type Run = z.infer<typeof runShape>;

const commentShape = z.object({
  id: z.int(),
  author: z.string().catch(''),
  body: z.string().catch(''),
  created_at: count,
});
export type Comment = z.infer<typeof commentShape>;

const eventShape = z.object({
  id: z.int(),
  run_id: whole,
  kind: z.string(),
  payload: json,
  created_at: count,
});
export type TaskEvent = z.infer<typeof eventShape>;

const attachmentShape = z.object({
  id: z.int(),
  filename: z.string().catch(''),
  stored_path: z.string().catch(''),
  content_type: text,
  size: count,
  uploaded_by: text,
  created_at: count,
});
export type Attachment = z.infer<typeof attachmentShape>;

export const readTasks = (rows: readonly Row[]): Task[] => readable(taskShape, rows);
export const readRuns = (rows: readonly Row[]): Run[] => readable(runShape, rows);
export const readComments = (rows: readonly Row[]): Comment[] => readable(commentShape, rows);
export const readEvents = (rows: readonly Row[]): TaskEvent[] => readable(eventShape, rows);
export const readAttachments = (rows: readonly Row[]): Attachment[] => readable(attachmentShape, rows);

function readable<Shape extends z.ZodType>(shape: Shape, rows: readonly Row[]): z.infer<Shape>[] {
  return rows.flatMap((row) => {
    const { data } = shape.safeParse(row);
    return data === undefined ? [] : [data];
  });
}
