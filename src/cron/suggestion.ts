/** A job that was proposed, and that a person has to agree to: what `suggestions.json` says of it, read tolerantly. */
import * as z from 'zod';
import { UserError } from '../lib/errors.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import type { JobInput } from './job-input.ts';

/** Where a proposal comes from. */
export type SuggestionSource = 'catalog' | 'blueprint' | 'usage' | 'integration';

/** What the original gives to its function that makes a job. */
export type JobSpec = { readonly schedule: string } & Readonly<Record<string, JsonValue>>;

export interface NewSuggestion {
  readonly title: string;
  readonly description: string;
  readonly source: SuggestionSource;
  readonly jobSpec: JobSpec;
  /** One and the same for the same proposal, whenever it is made. */
  readonly dedupKey: string;
}

const suggestionSchema = z.object({
  id: z.string().min(1),
  title: z.string().catch(''),
  description: z.string().catch(''),
  source: z.string().catch(''),
  job_spec: z.record(z.string(), z.json()).catch({}),
  dedup_key: z.string().catch(''),
  status: z.string(),
});

export type Suggestion = z.infer<typeof suggestionSchema>;

/** Undefined for a record that nobody could accept or dismiss. */
export function readSuggestion(record: JsonObject): Suggestion | undefined {
  return suggestionSchema.safeParse(record).data;
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? undefined);

const specSchema = z.object({
  schedule: z.string(),
  prompt: text,
  name: text,
  repeat: z.number().nullish(),
  deliver: z
    .union([text, z.array(z.string()).transform((targets) => targets.join(','))])
    .transform((value) => value ?? undefined),
  skill: text,
  skills: texts,
  model: text,
  provider: text,
  base_url: text,
  script: text,
  no_agent: z
    .boolean()
    .nullish()
    .transform((value) => value ?? undefined),
  context_from: texts,
  enabled_toolsets: texts,
  workdir: text,
  attach_to_session: z
    .boolean()
    .nullish()
    .transform((value) => value ?? undefined),
});

/** The job that accepting makes. Throws `UserError` for a file that says nothing that could be one. */
export function inputOf({ title, job_spec: spec }: Suggestion): JobInput & { readonly schedule: string } {
  const { data } = specSchema.safeParse(spec);
  if (data === undefined) {
    throw new UserError(`'${title}' cannot be scheduled: what it says of its job cannot be read.`, {
      hint: 'Dismiss it, or mend its job_spec in cron/suggestions.json.',
    });
  }
  const { skill, skills = skill === undefined ? undefined : [skill] } = data;
  return {
    schedule: data.schedule,
    prompt: data.prompt,
    name: data.name,
    repeat: data.repeat,
    deliver: data.deliver,
    skills,
    model: data.model,
    provider: data.provider,
    baseUrl: data.base_url,
    script: data.script,
    noAgent: data.no_agent,
    contextFrom: data.context_from,
    enabledToolsets: data.enabled_toolsets,
    workdir: data.workdir,
    attachToSession: data.attach_to_session,
  };
}
