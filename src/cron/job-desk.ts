/** What can be done with jobs, the same for every surface: make, change, pause, resume, end. */
import { UserError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { claimOf, fireClaimMs, isClaimed, type Claimant } from './due.ts';
import type { Job } from './job.ts';
import { checkWhole, type InputPlace, type JobInput, patchOf, scheduleKeys } from './job-input.ts';
import type { JobStore, Patch } from './job-store.ts';
import { nextRun, nextSlot } from './next-run.ts';
import type { Moment } from './schedule.ts';
import { removeOutputs } from './outputs.ts';
import { isoTime } from './time.ts';

/** The provider and the model that the settings name now: what a job that pins neither is made for. */
export interface Snapshot {
  readonly provider: string | null;
  readonly model: string | null;
}

export interface JobDeskOptions {
  readonly store: JobStore;
  readonly homePath: string;
  readonly snapshot: () => Promise<Snapshot>;
}

export class JobDesk {
  readonly store: JobStore;
  readonly #homePath: string;
  readonly #snapshot: () => Promise<Snapshot>;

  constructor({ store, homePath, snapshot }: JobDeskOptions) {
    this.store = store;
    this.#homePath = homePath;
    this.#snapshot = snapshot;
  }

  /** Throws `UserError` and writes nothing when something about it is not right. */
  async create(input: JobInput & { readonly schedule: string }, origin: JsonObject | undefined): Promise<Job> {
    const place = this.#place();
    const patch = patchOf(input, place);
    const { kind, keys } = scheduleKeys(input.schedule, place.moment);
    const id = this.store.freeId();
    const snapshot = await this.#snapshot();
    const record = newRecord({
      id,
      patch,
      keys,
      kind,
      input,
      origin,
      moment: place.moment,
      snapshot,
    });
    checkWhole(wholeOf(record));
    await this.store.add(record);
    return this.#mustGet(id);
  }

  /** Throws `UserError`; the record is then untouched. */
  async update(id: string, input: JobInput): Promise<Job> {
    const place = this.#place();
    const patch = patchOf(input, place);
    const keys = input.schedule === undefined ? undefined : scheduleKeys(input.schedule, place.moment).keys;
    const record = this.store.record(id);
    if (record === undefined) throw noJob(id);
    checkWhole(wholeOf({ ...record, ...definedOf(patch) }));
    const isOtherModel = ['model', 'provider', 'base_url', 'no_agent'].some((key) => patch[key] !== undefined);
    const snapshot = isOtherModel ? await this.#snapshot() : undefined;
    return await this.#change(id, (job) => ({
      ...patch,
      ...(keys === undefined ? {} : rescheduled(job, keys)),
      ...(input.repeat === undefined ? {} : { repeat: { times: runs(input.repeat), completed: job.repeat.completed } }),
      ...(snapshot === undefined ? {} : snapshotKeys(patch, job, snapshot)),
    }));
  }

  async pause(id: string, reason: string | undefined): Promise<Job> {
    const at = isoTime(this.store.now(), this.store.zone);
    return await this.#change(id, () => ({
      enabled: false,
      state: 'paused',
      paused_at: at,
      paused_reason: reason ?? null,
    }));
  }

  /** From now on. Throws `UserError` for a job that was to run once, at a time that is past. */
  async resume(id: string): Promise<Job> {
    const moment = this.#moment();
    return await this.#change(id, (job) => {
      const next = nextRun(job.schedule, job.schedule.kind === 'once' ? undefined : moment.now, moment);
      if (next === undefined) {
        throw new UserError(`The time of the job '${job.name}' is past: give it a new schedule.`);
      }
      return { ...resumed, next_run_at: isoTime(next, moment.zone) };
    });
  }

  /** Due at the next tick. */
  async trigger(id: string): Promise<Job> {
    const { now, zone } = this.#moment();
    return await this.#change(id, () => ({ ...resumed, next_run_at: isoTime(now, zone) }));
  }

  /**
   * Takes a job to run it outside of the tick. Undefined when somebody is just starting it, or it is paused, ended or gone.
   */
  async claim(id: string, claimant: Claimant): Promise<Job | undefined> {
    return await this.store.change(id, (job) => {
      const isTaken =
        isClaimed(job.fire_claim, claimant.now, fireClaimMs) ||
        isClaimed(job.run_claim, claimant.now, claimant.claimMs);
      if (isTaken || !job.enabled || job.state === 'paused') return undefined;
      const { repeat, schedule } = job;
      if (schedule.kind !== 'once') {
        // A slot that is due already is this run, too.
        const slot = nextSlot(schedule, claimant);
        const next = slot === undefined ? {} : { next_run_at: isoTime(slot, claimant.zone) };
        return { fire_claim: claimOf(claimant), ...next };
      }
      if (repeat.times != null && repeat.completed >= repeat.times) return undefined;
      const counted = { times: repeat.times ?? null, completed: repeat.completed + 1 };
      return { fire_claim: claimOf(claimant), run_claim: claimOf(claimant), repeat: counted };
    });
  }

  /** With the documents of its runs. */
  async remove(id: string): Promise<Job> {
    const job = this.#mustGet(id);
    await this.store.change(id, () => 'remove');
    removeOutputs({ homePath: this.#homePath, jobId: id });
    return job;
  }

  #moment(): Moment {
    return { now: this.store.now(), zone: this.store.zone };
  }

  #place(): InputPlace {
    return { homePath: this.#homePath, jobs: this.store.list(), moment: this.#moment() };
  }

  async #change(id: string, decide: (job: Job) => Patch): Promise<Job> {
    const job = await this.store.change(id, decide);
    if (job === undefined) throw noJob(id);
    return job;
  }

  #mustGet(id: string): Job {
    const job = this.store.get(id);
    if (job === undefined) throw noJob(id);
    return job;
  }
}

/** By its id, else by its name, whatever its letters. Throws `UserError` that lists the ids of several. */
export function findJob(jobs: readonly Job[], reference: string): Job {
  const wanted = reference.trim();
  const byId = jobs.find(({ id }) => id === wanted);
  if (byId !== undefined) return byId;
  const named = jobsNamed(jobs, wanted);
  const [only] = named;
  if (only === undefined) throw noJob(wanted);
  if (named.length > 1) {
    const ids = named.map(({ id, schedule_display: shown }) => `  ${id}  ${shown ?? ''}`.trimEnd());
    throw new UserError([`Several jobs are called '${wanted}'. Name one by its id:`, ...ids].join('\n'));
  }
  return only;
}

export function jobsNamed(jobs: readonly Job[], name: string): Job[] {
  const wanted = name.trim().toLowerCase();
  return jobs.filter((job) => job.name.toLowerCase() === wanted);
}

const resumed = { enabled: true, state: 'scheduled', paused_at: null, paused_reason: null };

function noJob(reference: string): UserError {
  return new UserError(`There is no scheduled job '${reference}'.`, { hint: 'hermes cron list --all shows them.' });
}

interface NewRecord {
  readonly id: string;
  readonly patch: Patch;
  readonly keys: Patch;
  readonly kind: string;
  readonly input: JobInput;
  readonly origin: JsonObject | undefined;
  readonly moment: Moment;
  readonly snapshot: Snapshot;
}

/** Every key of a new record, in the order of the original. */
function newRecord({ id, patch, keys, kind, input, origin, moment, snapshot }: NewRecord): JsonObject {
  const given = definedOf(patch);
  const skills = input.skills?.find((name) => name.trim() !== '')?.trim();
  const name = [input.prompt?.trim().slice(0, 50).toWellFormed(), skills, input.script].find((text) => text);
  const pinned = { model: given['model'] ?? null, provider: given['provider'] ?? null };
  const noAgent = given['no_agent'] === true;
  const times = runs(input.repeat ?? (kind === 'once' ? 1 : null));
  const { attach_to_session: attach, ...rest } = given;
  return {
    id,
    name: name ?? 'cron job',
    prompt: '',
    skills: [],
    skill: null,
    ...pinned,
    provider_snapshot: noAgent || pinned.provider !== null ? null : snapshot.provider,
    model_snapshot: noAgent || pinned.model !== null ? null : snapshot.model,
    base_url: null,
    script: null,
    no_agent: false,
    context_from: null,
    schedule: null,
    schedule_display: null,
    repeat: { times, completed: 0 },
    enabled: true,
    state: 'scheduled',
    paused_at: null,
    paused_reason: null,
    created_at: isoTime(moment.now, moment.zone),
    next_run_at: null,
    last_run_at: null,
    last_status: null,
    last_error: null,
    last_delivery_error: null,
    deliver: origin === undefined ? 'local' : 'origin',
    origin: origin ?? null,
    enabled_toolsets: null,
    workdir: null,
    ...(attach === undefined ? {} : { attach_to_session: attach }),
    ...rest,
    ...definedOf(keys),
  };
}

function snapshotKeys(patch: Patch, job: Job, snapshot: Snapshot): Patch {
  const now = (key: 'model' | 'provider'): unknown => (patch[key] === undefined ? job[key] : patch[key]);
  const noAgent = patch['no_agent'] ?? job.no_agent;
  return {
    provider_snapshot: noAgent === true || now('provider') != null ? null : snapshot.provider,
    model_snapshot: noAgent === true || now('model') != null ? null : snapshot.model,
  };
}

/** A job that is paused stays so; another one is enabled again. */
function rescheduled(job: Job, keys: Patch): Patch {
  if (job.state === 'paused') return keys;
  const isOver = job.state === 'completed';
  const repeat = { times: job.repeat.times ?? null, completed: 0 };
  return { ...keys, enabled: true, state: 'scheduled', run_claim: undefined, ...(isOver ? { repeat } : {}) };
}

function runs(times: number | null): number | null {
  return times === null || times <= 0 ? null : Math.floor(times);
}

function wholeOf(record: JsonObject) {
  const text = (key: string): string | null => {
    const value = record[key];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const { skills } = record;
  return {
    prompt: text('prompt') ?? '',
    skills: Array.isArray(skills) ? skills.map(String) : [],
    script: text('script'),
    noAgent: record['no_agent'] === true,
    provider: text('provider'),
    baseUrl: text('base_url'),
  };
}

function definedOf(patch: Patch): JsonObject {
  const record: JsonObject = {};
  for (const [key, value] of Object.entries(patch)) if (value !== undefined) record[key] = value;
  return record;
}
