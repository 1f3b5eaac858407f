/** Runs the jobs that are due, each occurrence once, and keeps how every run ended. */
import { join } from 'node:path';
import { type CronSettings, cronSettings } from '../../config/cron.ts';
import { afterRun, type Claimant, lookAt } from '../../cron/due.ts';
import { Executions, type ExecutionSource, type Runner } from '../../cron/executions.ts';
import type { Job } from '../../cron/job.ts';
import { JobDesk } from '../../cron/job-desk.ts';
import { JobStore, type Patch } from '../../cron/job-store.ts';
import { isoTime, readTime, systemZone } from '../../cron/time.ts';
import { errorMessage } from '../../lib/errors.ts';
import { tryFileLock } from '../../lib/file-lock.ts';
import type { Log } from '../../lib/log.ts';
import { currentModel } from '../../runtime/open-job-desk.ts';
import type { Program } from '../../runtime/program.ts';
import { isDead, ownProcess, startTicks } from '../../sessions/process-identity.ts';
import { finishRun } from './finish-run.ts';
import { Heartbeat } from './heartbeat.ts';
import type { JobChats } from './job-chats.ts';
import { LiveProgram } from './live-program.ts';
import { runJob } from './run-job.ts';
import { RunSlots } from './run-slots.ts';
import type { RunOutcome } from './run-outcome.ts';

export interface SchedulerOptions {
  readonly program: Program;
  readonly chats: JobChats;
  /** Milliseconds since 1970; default: the clock of the machine. */
  readonly now?: () => number;
}

/** How a run outside of the tick ended; `skipped`: somebody else runs it, or it is paused or gone. */
export type RunNow = { readonly as: 'ran'; readonly outcome: RunOutcome } | { readonly as: 'skipped' };

interface FinishOptions {
  readonly isKept: boolean;
  readonly manual?: boolean;
  /** When the run was claimed, where it may be written down in its job already. */
  readonly since?: string;
}

/** A claim of somebody who is not heard of lapses after this, or after three times the limit of a run. */
const leastClaimMs = 1_800_000;
const renewMs = 60_000;

export class Scheduler {
  readonly store: JobStore;
  readonly desk: JobDesk;
  readonly #options: SchedulerOptions;
  readonly #homePath: string;
  readonly #log: Log;
  readonly #live: LiveProgram;
  readonly #executions: Executions;
  readonly #runner: Runner;
  readonly #heartbeat: Heartbeat;
  readonly #slots: RunSlots;
  /** Jobs that this process runs, by id. */
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #stop = new AbortController();

  /** Throws SQLite's errors when the record of runs cannot be opened. */
  constructor(options: SchedulerOptions) {
    const { program, now } = options;
    this.#options = options;
    this.#homePath = program.options.home.path;
    this.#log = program.log.named('cron');
    this.#live = new LiveProgram(program);
    this.store = new JobStore({
      homePath: this.#homePath,
      log: this.#log,
      zone: () => this.#settings.zone || systemZone(),
      ...(now === undefined ? {} : { now }),
    });
    this.desk = new JobDesk({
      store: this.store,
      homePath: this.#homePath,
      snapshot: () => this.#live.use(({ models }) => currentModel(models)),
    });
    this.#executions = new Executions(this.#homePath);
    const { pid } = process;
    this.#runner = { processId: this.#settings.machine, pid, startedAt: startTicks(pid) ?? null };
    this.#heartbeat = new Heartbeat(this.#homePath, this.#log);
    this.#slots = new RunSlots(this.#settings.maxParallel);
  }

  /** Jobs that run now. */
  get running(): number {
    return this.#running.size;
  }

  /** Starts what is due and returns how many that were, without waiting for them; 0 while another process does it. */
  async tick(): Promise<number> {
    const lock = tryFileLock(join(this.#homePath, 'cron', '.tick.lock'));
    if (lock === undefined) return 0;
    try {
      this.#heartbeat.beat();
      const due = await this.#takeDue();
      for (const { job, execution } of due) void this.#start(job, execution, false);
      this.#heartbeat.succeeded();
      return due.length;
    } finally {
      lock.close();
    }
  }

  /** Runs a job now, whenever it is due, and waits for it. */
  async runNow(id: string): Promise<RunNow> {
    if (this.#running.has(id) || this.#runsElsewhere().has(id)) return { as: 'skipped' };
    const job = await this.desk.claim(id, this.#claimant());
    if (job === undefined) return { as: 'skipped' };
    const outcome = await this.#start(job, this.#claim(id, 'direct'), true);
    return outcome === undefined ? { as: 'skipped' } : { as: 'ran', outcome };
  }

  /** Resolves when nothing runs, or `signal` aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    const given = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    while (this.#running.size > 0 && !signal.aborted) await Promise.race([Promise.all(this.#running.values()), given]);
  }

  /** Ends what runs; it is marked as interrupted. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(new Error('the program was stopped'));
    await Promise.all(this.#running.values());
    await this.#live.close();
    this.#executions.close();
  }

  /**
   * Tells the user of the runs of processes that died, of which nobody knows how they ended. The row of a run is closed
   * last: whoever is killed before that tells it again, under the same id.
   */
  async recover(): Promise<void> {
    const text = 'The program ended while the job ran; what it had done by then is not known. It is not run again.';
    for (const row of this.#executions.open()) {
      if (!this.#isDead(row)) continue;
      const job = this.store.get(row.job_id);
      const outcome: RunOutcome = { ok: false, error: text, prompt: job?.prompt ?? '' };
      if (job !== undefined) await this.#finish(job, row.id, outcome, { isKept: false, since: row.claimed_at });
      this.#executions.giveUp(row.id, this.#time(), text);
    }
  }

  /** A row of each run is written before its job is taken: whoever dies in between leaves a trace of it. */
  async #takeDue(): Promise<readonly { readonly job: Job; readonly execution: string }[]> {
    const claimant = this.#claimant();
    const elsewhere = this.#runsElsewhere();
    const due = new Map<string, string>();
    const take = (job: Job): Patch | undefined => {
      if (this.#running.has(job.id) || elsewhere.has(job.id)) return undefined;
      const look = lookAt(job, claimant);
      if (look.as === 'over') return { state: 'completed', enabled: false, next_run_at: null, run_claim: undefined };
      if (look.as === 'due' && !due.has(job.id)) due.set(job.id, this.#claim(job.id, 'builtin'));
      return look.patch;
    };
    try {
      const changed = await this.store.changeAll(take);
      return changed.flatMap((job) => {
        const execution = due.get(job.id);
        due.delete(job.id);
        return execution === undefined ? [] : [{ job, execution }];
      });
    } finally {
      // Or a later start would take it for a run that was cut off.
      const why = 'The job could not be taken, so it was not begun.';
      for (const execution of due.values()) this.#executions.finish(execution, this.#time(), why);
    }
  }

  #claim(jobId: string, source: ExecutionSource): string {
    return this.#executions.claim(jobId, source, this.#runner, this.#time());
  }

  async #start(job: Job, execution: string, manual: boolean): Promise<RunOutcome | undefined> {
    const work = this.#run(job, execution, manual).catch((error: unknown) => {
      this.#log.error(`the job '${job.name}' could not be finished`, error);
      return undefined;
    });
    this.#running.set(job.id, work);
    void work.finally(() => this.#running.delete(job.id));
    return await work;
  }

  async #run(job: Job, execution: string, manual: boolean): Promise<RunOutcome> {
    return await this.#slots.take(job.workdir != null, async () => {
      this.#executions.begin(execution, this.#time());
      const renewing = setInterval(() => void this.#renew(job.id), renewMs);
      let outcome: RunOutcome;
      try {
        outcome = await this.#live.use((program) =>
          runJob({ program, job, at: this.store.now(), log: this.#log, signal: this.#stop.signal }),
        );
      } catch (error) {
        outcome = { ok: false, error: `The run was interrupted: ${errorMessage(error)}.`, prompt: job.prompt };
      } finally {
        clearInterval(renewing);
      }
      await this.#finish(job, execution, outcome, { isKept: true, manual });
      return outcome;
    });
  }

  async #finish(
    job: Job,
    execution: string,
    outcome: RunOutcome,
    { isKept, manual = false, since }: FinishOptions,
  ): Promise<void> {
    const deliveryError = await finishRun({
      job,
      outcome,
      execution,
      isKept,
      place: { homePath: this.#homePath, at: this.store.now(), zone: this.store.zone },
      settings: this.#settings,
      chats: this.#options.chats,
      log: this.#log,
    });
    const error = outcome.ok ? undefined : outcome.error;
    if (isKept) this.#executions.finish(execution, this.#time(), error);
    const end = { ok: outcome.ok, error, deliveryError };
    const moment = { now: this.store.now(), zone: this.store.zone };
    await this.store.change(job.id, (now) =>
      since !== undefined && isSince(now.last_run_at, since)
        ? undefined
        : afterRun(now, end, moment, { manual: manual || !isKept }),
    );
  }

  async #renew(id: string): Promise<void> {
    const { by } = this.#claimant();
    const at = this.#time();
    try {
      await this.store.change(id, (job) => (job.run_claim == null ? undefined : { run_claim: { at, by } }));
    } catch (error) {
      this.#log.warning('the claim of a running job could not be renewed', error);
    }
  }

  #claimant(): Claimant {
    const { machine: by, idleMs } = this.#settings;
    return { now: this.store.now(), zone: this.store.zone, by, claimMs: Math.max(idleMs * 3, leastClaimMs) };
  }

  /** Ids of the jobs that a living process runs. */
  #runsElsewhere(): ReadonlySet<string> {
    const open = this.#executions.open().filter((row) => row.pid !== process.pid && !this.#isDead(row));
    return new Set(open.map((row) => row.job_id));
  }

  #isDead({ pid, process_started_at: start }: { pid: number; process_started_at: number | null }): boolean {
    if (pid === process.pid && start === this.#runner.startedAt) return false;
    const own = ownProcess();
    if (isDead({ host: own.host, pid, start: null }, own)) return true;
    // Another process has got its number since.
    return start !== null && startTicks(pid) !== start;
  }

  get #settings(): CronSettings {
    const { config, env } = this.#options.program.options;
    return cronSettings(config, env);
  }

  #time(): string {
    return isoTime(this.store.now(), this.store.zone);
  }
}

function isSince(at: string | null | undefined, since: string): boolean {
  const [last, begun] = [at ?? '', since].map((text) => readTime(text, systemZone())?.ms);
  return last !== undefined && begun !== undefined && last >= begun;
}
