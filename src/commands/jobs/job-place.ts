/** Making a job out of a slash command: one of the person who types it, whose results come back to where they type. */
import type { Job } from '../../cron/job.ts';
import type { JobInput } from '../../cron/job-input.ts';
import { scheduleWords } from '../../cron/job-words.ts';
import { UserError } from '../../lib/errors.ts';
import { checkContext, isVisible, type JobAccess, originRecord } from '../../tools/cron/job-access.ts';
import type { CommandContext } from '../command.ts';
import { shown } from '../skills/skills-surface.ts';

/** Throws `UserError` where the session may make no jobs. */
export function jobsOf({ session }: Pick<CommandContext, 'session'>): JobAccess {
  const { jobs } = session.knowledge;
  if (jobs !== undefined) return jobs;
  throw new UserError('This conversation cannot make scheduled jobs.', {
    hint: 'It needs the toolset `cronjob`, see /tools.',
  });
}

/** Throws `UserError`, and nothing is written, when something about it is not right. */
export async function makeJob(jobs: JobAccess, input: JobInput & { readonly schedule: string }): Promise<Job> {
  const desk = await jobs.desk();
  const visible = desk.store.list().filter((job) => isVisible(job, jobs.origin));
  checkContext(input.contextFrom ?? [], visible);
  return await desk.create(input, originRecord(jobs.origin));
}

export function madeWords(job: Job): string {
  const { name, deliver, id } = job;
  const to = deliver === 'origin' ? '' : `, for ${shown(deliver)}`;
  return [
    `Scheduled '${shown(name)}' (${scheduleWords(job)}${to}), job ${id}. The gateway has to run at that time.`,
    'To change, pause or end it, ask me, or use: hermes cron list',
  ].join('\n');
}
