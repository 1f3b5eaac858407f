/** What the `cronjob` tool does and answers. */
import { answer, failure, type ToolOutcome } from '../../agent/tool.ts';
import type { Job } from '../../cron/job.ts';
import { findJob, type JobDesk, jobsNamed } from '../../cron/job-desk.ts';
import type { JobInput } from '../../cron/job-input.ts';
import { repeatWords, scheduleWords, shownJobs } from '../../cron/job-words.ts';
import { UserError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { checkContext, isVisible, type JobAccess, originRecord } from './job-access.ts';
import { type CronArgs, unlisted } from './parameters.ts';

export async function runCronjob(args: CronArgs, jobs: JobAccess | undefined): Promise<ToolOutcome> {
  if (jobs === undefined) return failure({ success: false, error: 'There are no scheduled jobs in this session.' });
  const desk = await jobs.desk();
  const visible = desk.store.list().filter((job) => isVisible(job, jobs.origin));
  try {
    return await perform(args, { desk, jobs, visible });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const named = jobsNamed(visible, args.job_id ?? '');
    const matches = named.length < 2 ? {} : { matches: named.map(matchOf) };
    return failure({ success: false, error: error.message, ...matches });
  }
}

interface Place {
  readonly desk: JobDesk;
  readonly jobs: JobAccess;
  /** Those that the session may know of. */
  readonly visible: readonly Job[];
}

async function perform(args: CronArgs, { desk, jobs, visible }: Place): Promise<ToolOutcome> {
  const { action, schedule } = args;
  if (action === 'list') {
    const shown = shownJobs(visible, unlisted.parse(args).include_disabled ?? true);
    return answer({ success: true, count: shown.length, jobs: shown.map(jobOf) });
  }
  if (action === 'create') {
    if (schedule === undefined) throw new UserError('create needs a schedule.');
    checkContext(args.context_from ?? [], visible);
    return created(await desk.create({ ...inputOf(args), schedule }, originRecord(jobs.origin)));
  }
  if (args.job_id === undefined) throw new UserError(`${action} needs a job_id.`);
  const job = findJob(visible, args.job_id);
  switch (action) {
    case 'update':
      checkContext(args.context_from ?? [], visible);
      return answer({ success: true, job: jobOf(await desk.update(job.id, { ...inputOf(args), schedule })) });
    case 'pause':
      return answer({ success: true, job: jobOf(await desk.pause(job.id, unlisted.parse(args).reason)) });
    case 'resume':
      return answer({ success: true, job: jobOf(await desk.resume(job.id)) });
    case 'remove': {
      await desk.remove(job.id);
      return answer({ success: true, message: `Removed ${job.name}.`, removed_job: matchOf(job) });
    }
    case 'run':
    case 'run_now':
    case 'trigger': {
      const message = 'The gateway runs it within a minute.';
      return answer({ success: true, executed: false, message, job: jobOf(await desk.trigger(job.id)) });
    }
    default:
      throw new UserError(`'${action}' is no action; use create, list, update, pause, resume, run or remove.`);
  }
}

function inputOf(args: CronArgs): JobInput {
  const { model } = args;
  const { skill, provider, base_url: baseUrl } = unlisted.parse(args);
  return {
    name: args.name,
    prompt: args.prompt,
    repeat: args.repeat,
    deliver: args.deliver,
    skills: args.skills ?? (skill === undefined ? undefined : [skill]),
    model: model?.model,
    provider: provider ?? model?.provider,
    baseUrl,
    script: args.script,
    noAgent: args.no_agent,
    contextFrom: args.context_from,
    enabledToolsets: args.enabled_toolsets,
    workdir: args.workdir,
    attachToSession: args.attach_to_session,
  };
}

function created(job: Job): ToolOutcome {
  const { id, name, skills, deliver, next_run_at: next } = job;
  return answer({
    success: true,
    job_id: id,
    name,
    skill: skills[0] ?? null,
    skills,
    schedule: scheduleWords(job),
    repeat: repeatWords(job),
    deliver,
    next_run_at: next ?? null,
    job: jobOf(job),
    message: `Scheduled '${name}'. The gateway has to run at that time.`,
  });
}

const previewChars = 100;

function jobOf(job: Job): JsonObject {
  const { prompt } = job;
  const cut = prompt.length > previewChars;
  const optional = {
    script: job.script ?? null,
    no_agent: job.no_agent || null,
    workdir: job.workdir ?? null,
    context_from: job.context_from ?? null,
    enabled_toolsets: job.enabled_toolsets ?? null,
    attach_to_session: job.attach_to_session ?? null,
  };
  return {
    job_id: job.id,
    name: job.name,
    skill: job.skills[0] ?? null,
    skills: job.skills,
    prompt_preview: cut ? `${prompt.slice(0, previewChars).toWellFormed()}...` : prompt,
    model: job.model ?? null,
    provider: job.provider ?? null,
    base_url: job.base_url ?? null,
    schedule: scheduleWords(job),
    repeat: repeatWords(job),
    deliver: job.deliver,
    next_run_at: job.next_run_at ?? null,
    last_run_at: job.last_run_at ?? null,
    last_status: job.last_status ?? null,
    last_delivery_error: job.last_delivery_error ?? null,
    enabled: job.enabled,
    state: job.state,
    paused_at: job.paused_at ?? null,
    paused_reason: job.paused_reason ?? null,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
  };
}

function matchOf(job: Job): JsonObject {
  return { id: job.id, name: job.name, schedule: scheduleWords(job), next_run_at: job.next_run_at ?? null };
}
