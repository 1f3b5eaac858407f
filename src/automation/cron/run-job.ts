/** One run of a job: its script, its agent, or both. Nothing is delivered or written here. */
import { statSync } from 'node:fs';
import { cronSettings } from '../../config/cron.ts';
import type { Job } from '../../cron/job.ts';
import { isoTime, systemZone } from '../../cron/time.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { noKeyRequired } from '../../llm/endpoint.ts';
import { maskKeys } from '../../lib/secrets.ts';
import type { RouteRequest } from '../../providers/choose-provider.ts';
import type { Program } from '../../runtime/program.ts';
import { secretMask } from '../../runtime/secret-mask.ts';
import { runJobScript, type ScriptRun } from './job-script.ts';
import { runJobTurn } from './job-turn.ts';
import { driftOf } from './model-drift.ts';
import type { RunOutcome } from './run-outcome.ts';

export interface JobRun {
  readonly program: Program;
  readonly job: Job;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Rejects only with the reason of `signal`: whatever goes wrong is how the run ended. */
export async function runJob(run: JobRun): Promise<RunOutcome> {
  try {
    return await outcomeOf(run);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof UserError)) run.log.error(`the job '${run.job.name}' broke down`, error);
    return { ok: false, error: maskKeys(errorMessage(error)).replaceAll(/\s+/g, ' '), prompt: run.job.prompt };
  }
}

async function outcomeOf(run: JobRun): Promise<RunOutcome> {
  const { job } = run;
  if (job.no_agent) {
    // What a script prints, it may have from anywhere.
    const sources = [{ from: 'program' as const, name: job.script ?? 'a script' }];
    return { ...scriptAlone(await script(run)), sources };
  }
  const before = job.script == null ? undefined : await script(run);
  // The script says that there is nothing to do: no agent is asked, and nobody is told.
  if (before?.ok === true && !before.wakes) return { ok: true, text: '', prompt: '' };
  return await turn(run, before);
}

async function script({ program, job, signal }: JobRun): Promise<ScriptRun> {
  const { home, env, config } = program.options;
  return await runJobScript(job.script ?? '', {
    homePath: home.path,
    env,
    timeoutMs: cronSettings(config, env).scriptMs,
    cwd: workdirOf(job),
    mask: secretMask({ config, env }),
    signal,
  });
}

function scriptAlone(run: ScriptRun): RunOutcome {
  if (!run.ok) return { ok: false, error: run.error, prompt: '', script: 'script failed' };
  if (!run.wakes || run.text === '') return { ok: true, text: '', prompt: '', script: 'silent' };
  return { ok: true, text: run.text, prompt: '', script: 'ok' };
}

async function turn(run: JobRun, before: ScriptRun | undefined): Promise<RunOutcome> {
  const { program, job, at, log, signal } = run;
  const { config, env } = program.options;
  const settings = cronSettings(config, env);
  const zone = settings.zone || systemZone();
  const route = await program.models.resolve(await requestOf(run, settings.model), signal);
  const drift = driftOf(job, route);
  // Told once: the next run finds it in the job.
  if (drift !== undefined)
    return { ok: false, error: drift, prompt: '', ...(job.last_error === drift ? { quiet: true } : {}) };
  const stamp = isoTime(at, zone).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '_');
  return await runJobTurn({
    program,
    job,
    script: before,
    route,
    sessionId: `cron_${job.id}_${stamp}`,
    title: titleOf(job, at, zone),
    workdir: workdirOf(job),
    idleMs: settings.idleMs,
    log,
    signal,
  });
}

async function requestOf({ program, job, signal }: JobRun, usualModel: string | undefined): Promise<RouteRequest> {
  const model = job.model ?? usualModel;
  const request = {
    ...(model === undefined ? {} : { model }),
    ...(job.provider == null ? {} : { provider: job.provider }),
  };
  if (job.base_url == null) return request;
  // Whoever may write to the agent can have a job made: the owner's keys go where the owner's settings say, and nowhere else.
  const usual = await program.models.resolve(request, signal).catch(() => undefined);
  const isKnown = usual !== undefined && originOf(usual.baseUrl) === originOf(job.base_url);
  return { ...request, baseUrl: job.base_url, ...(isKnown ? {} : { apiKey: noKeyRequired }) };
}

function originOf(address: string): string | undefined {
  return URL.parse(address)?.origin;
}

const mostTitleChars = 60;

function titleOf({ name }: Job, at: number, zone: string): string {
  const time = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return `${name.slice(0, mostTitleChars).toWellFormed()} · ${time.format(at).replace(',', '')}`;
}

/** Undefined when it is gone: the run goes on without it. */
function workdirOf({ workdir }: Job): string | undefined {
  if (workdir == null) return undefined;
  return statSync(workdir, { throwIfNoEntry: false })?.isDirectory() === true ? workdir : undefined;
}
