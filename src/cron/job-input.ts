/** What a person, a model or a program asks of a job, checked before anything is written. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { scanCronPrompt, stopsGateway } from '../safety/cron-prompt.ts';
import { UserError } from '../lib/errors.ts';
import type { Job } from './job.ts';
import type { Patch } from './job-store.ts';
import { nextRun } from './next-run.ts';
import { type Moment, parseSchedule } from './schedule.ts';
import { checkScriptName, scriptPath } from './script-path.ts';
import { isoTime } from './time.ts';

/** Fields that are left out stay as they are, or get their default. An empty text clears. */
export interface JobInput {
  readonly name?: string | undefined;
  readonly prompt?: string | undefined;
  readonly schedule?: string | undefined;
  /** Runs; 0 or less means for ever. */
  readonly repeat?: number | null | undefined;
  readonly deliver?: string | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly model?: string | null | undefined;
  readonly provider?: string | null | undefined;
  readonly baseUrl?: string | null | undefined;
  readonly script?: string | null | undefined;
  readonly noAgent?: boolean | undefined;
  readonly contextFrom?: readonly string[] | null | undefined;
  readonly enabledToolsets?: readonly string[] | null | undefined;
  readonly workdir?: string | null | undefined;
  readonly attachToSession?: boolean | undefined;
}

export interface InputPlace {
  readonly homePath: string;
  readonly jobs: readonly Job[];
  readonly moment: Moment;
}

/** The keys that the input stands for, in the order of a new record. Throws `UserError`. */
export function patchOf(input: JobInput, place: InputPlace): Patch {
  const { name, prompt, script, noAgent, workdir } = input;
  checkText(prompt);
  if (script != null && script !== '') checkScript(script, place.homePath);
  const patch: Record<string, Patch[string]> = {};
  const put = (key: string, value: Patch[string]): void => {
    if (value !== undefined) patch[key] = value;
  };
  put('name', name?.trim() === '' ? undefined : name?.trim());
  put('prompt', prompt);
  if (input.skills !== undefined) Object.assign(patch, skillKeys(input.skills));
  put('model', emptyIsNull(input.model));
  put('provider', emptyIsNull(input.provider));
  put('base_url', emptyIsNull(input.baseUrl?.replace(/\/+$/, '') ?? input.baseUrl));
  put('script', emptyIsNull(script));
  put('no_agent', noAgent);
  put('context_from', input.contextFrom === undefined ? undefined : sources(input.contextFrom, place.jobs));
  put('deliver', input.deliver?.trim() === '' ? undefined : input.deliver?.trim());
  put('enabled_toolsets', emptyListIsNull(input.enabledToolsets));
  put('workdir', workdir === undefined ? undefined : directory(workdir));
  put('attach_to_session', input.attachToSession);
  return patch;
}

/** The keys of a schedule and of its first run. Throws `UserError` for one that is past. */
export function scheduleKeys(text: string, moment: Moment): { readonly kind: string; readonly keys: Patch } {
  const schedule = parseSchedule(text, moment);
  const next = nextRun(schedule, undefined, moment);
  if (next === undefined) {
    throw new UserError(`The time '${text}' is past. Give one that is still to come.`);
  }
  const { display = text } = schedule;
  const keys = {
    schedule: { ...schedule, display },
    schedule_display: display,
    next_run_at: schedule.kind === 'once' ? schedule.run_at : isoTime(next, moment.zone),
  };
  return { kind: schedule.kind, keys };
}

/** Throws `UserError` for a job that would have nothing to do, or that pins an address without saying whose. */
export function checkWhole(job: {
  readonly prompt: string;
  readonly skills: readonly string[];
  readonly script: string | null;
  readonly noAgent: boolean;
  readonly provider: string | null;
  readonly baseUrl: string | null;
}): void {
  if (job.noAgent && job.script === null) throw new UserError('A job without an agent needs a script.');
  if (job.prompt.trim() === '' && job.skills.length === 0 && job.script === null) {
    throw new UserError('A job needs a prompt, a skill or a script.');
  }
  if (job.baseUrl !== null && job.provider === null) {
    throw new UserError('A base_url needs a provider: name the one whose key goes there, or `custom`.');
  }
}

/** Throws `UserError` that names the class of what was found. */
function checkText(text: string | undefined): void {
  if (text === undefined) return;
  const found = scanCronPrompt(text);
  if (found !== undefined) {
    throw new UserError(
      `Blocked: the prompt matches the threat pattern '${found}'. A scheduled prompt must not hold such orders.`,
    );
  }
  if (stopsGateway(text)) {
    throw new UserError('Blocked: a scheduled job must not stop or restart the gateway that runs it.');
  }
}

const mostScriptBytes = 262_144;

function checkScript(name: string, homePath: string): void {
  checkScriptName(name);
  if (!existsSync(join(homePath, 'scripts', name))) return;
  const path = scriptPath(homePath, name);
  if (statSync(path).size <= mostScriptBytes && stopsGateway(readFileSync(path, 'utf8'))) {
    throw new UserError(`Blocked: the script '${name}' would stop or restart the gateway that runs it.`);
  }
}

function skillKeys(skills: readonly string[]): Patch {
  const names = [...new Set(skills.map((name) => name.trim()).filter((name) => name !== ''))];
  return { skills: names, skill: names[0] ?? null };
}

function sources(ids: readonly string[] | null, jobs: readonly Job[]): string[] | null {
  const found = (ids ?? []).map((id) => {
    const job = jobs.find((one) => one.id === id.trim());
    if (job === undefined) throw new UserError(`context_from: there is no job with the id '${id}'.`);
    return job.id;
  });
  return found.length === 0 ? null : [...new Set(found)];
}

function directory(path: string | null): string | null {
  const given = path?.trim() ?? '';
  if (given === '') return null;
  if (!isAbsolute(given)) throw new UserError(`workdir: '${given}' must be an absolute path.`);
  if (!existsSync(given) || !statSync(given).isDirectory())
    throw new UserError(`workdir: there is no folder '${given}'.`);
  return realpathSync(given);
}

function emptyIsNull(value: string | null | undefined): string | null | undefined {
  if (value === undefined) return undefined;
  const text = value?.trim() ?? '';
  return text === '' ? null : text;
}

function emptyListIsNull(value: readonly string[] | null | undefined): string[] | null | undefined {
  return value === undefined || value === null || value.length === 0
    ? value === undefined
      ? undefined
      : null
    : [...value];
}
