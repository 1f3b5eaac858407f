/** What the `cronjob` tool is told. */
import * as z from 'zod';

const text = z.string().optional();
const texts = z.array(z.string()).optional();

/** Loose, for what is honoured when it is sent and not offered: see `unlisted`. */
export const parameters = z.looseObject({
  action: z.string().describe('create, list, update, pause, resume, run, remove'),
  job_id: text.describe('Id, or a name that only one job has'),
  prompt: text.describe('For a conversation that knows nothing of this one'),
  schedule: text.describe('30m (once), every 2h, every day at 09:00, 0 9 * * 1-5, 2026-02-03T14:00'),
  name: text,
  repeat: z.int().optional().describe('Runs; 0: for ever'),
  deliver: text.describe('origin (this chat), local, a platform, platform:chat, all'),
  skills: texts,
  model: z.preprocess(named, z.object({ provider: text, model: z.string() }).optional()),
  script: text.describe('In scripts/ of the home; what it prints goes before the prompt'),
  no_agent: z.boolean().optional().describe('Deliver what the script prints'),
  context_from: texts.describe('Ids of jobs whose last output comes along'),
  enabled_toolsets: texts,
  workdir: text.describe('Absolute'),
  attach_to_session: z.boolean().optional().describe('Results stand in the history of this chat'),
});

export type CronArgs = z.infer<typeof parameters>;

/** Old names, and what only some actions take. */
export const unlisted = z.object({
  skill: text.catch(undefined),
  provider: text.catch(undefined),
  base_url: text.catch(undefined),
  include_disabled: z.boolean().optional().catch(undefined),
  reason: text.catch(undefined),
});

/** A name alone is a model too. */
function named(value: unknown): unknown {
  return typeof value === 'string' ? { model: value } : value;
}
