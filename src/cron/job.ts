/** A scheduled job: what `jobs.json` says of it, read tolerantly. */
import * as z from 'zod';
import type { JsonObject } from '../lib/json.ts';
import { scheduleSchema } from './schedule.ts';

const text = z.string().nullish().catch(null);
const flag = z.boolean().nullish().catch(null);
const texts = z.array(z.string()).nullish().catch(null);
const claimSchema = z.looseObject({ at: z.string(), by: z.string() }).nullish().catch(null);

const originSchema = z
  .looseObject({
    platform: z.string(),
    chat_id: z.coerce.string(),
    chat_name: text,
    thread_id: z.coerce.string().nullish().catch(null),
    user_id: z.coerce.string().nullish().catch(null),
  })
  .nullish()
  .catch(null);

/**
 * The fields of a record that are read. Only what a job cannot do without is asked for; a field of another type counts as
 * absent. What is written back is the record itself, with the keys that nobody here knows.
 */
const jobSchema = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  name: z.string().catch('cron job'),
  prompt: z.string().catch(''),
  skills: z.array(z.string()).catch([]),
  model: text,
  provider: text,
  provider_snapshot: text,
  model_snapshot: text,
  base_url: text,
  script: text,
  no_agent: z.boolean().catch(false),
  context_from: texts,
  schedule: scheduleSchema,
  schedule_display: text,
  repeat: z
    .object({ times: z.number().nullish().catch(null), completed: z.number().catch(0) })
    .catch({ times: null, completed: 0 }),
  enabled: z.boolean().catch(true),
  state: z.string().catch('scheduled'),
  paused_at: text,
  paused_reason: text,
  created_at: text,
  next_run_at: text,
  last_run_at: text,
  last_status: text,
  last_error: text,
  last_delivery_error: text,
  deliver: z.string().catch('local'),
  origin: originSchema,
  enabled_toolsets: texts,
  workdir: text,
  attach_to_session: flag,
  run_claim: claimSchema,
  fire_claim: claimSchema,
});

export type Job = z.infer<typeof jobSchema>;

/** Undefined for a record that cannot be a job: no id that can name a folder, or no schedule. */
export function readJob(record: JsonObject): Job | undefined {
  return jobSchema.safeParse(record).data;
}

/**
 * An old record in the form of today: `skill` becomes `skills`, an id is there, a list of targets is one text. The same
 * object when nothing is to be changed; keys that are not known stay.
 */
export function normalized(record: JsonObject, makeId: () => string): JsonObject {
  const changes: JsonObject = {};
  if (typeof record['id'] !== 'string' || record['id'] === '') {
    const old = record['job_id'];
    changes['id'] = typeof old === 'string' && old !== '' ? old : makeId();
  }
  const { skill, skills } = record;
  if (!Array.isArray(skills)) {
    const only = typeof skills === 'string' ? skills : skill;
    const list = typeof only === 'string' && only !== '' ? [only] : [];
    Object.assign(changes, { skills: list, skill: list[0] ?? null });
  }
  if (Array.isArray(record['deliver'])) changes['deliver'] = record['deliver'].map(String).join(',');
  return Object.keys(changes).length === 0 ? record : { ...record, ...changes };
}
