/** Whether a job is due, and how it is taken so that nobody else runs the same occurrence. */
import type { Job } from './job.ts';
import type { Patch } from './job-store.ts';
import { nextRun, nextSlot, onceGraceMs } from './next-run.ts';
import type { Moment, Schedule } from './schedule.ts';
import { isoTime, offsetMinutes, readTime, systemZone, wallMs } from './time.ts';

/** `patch` is written before the job runs, or where it is not due but something of it was mended. */
export type Look =
  | { readonly as: 'waits'; readonly patch?: Patch }
  | { readonly as: 'due'; readonly patch: Patch }
  | { readonly as: 'over' };

export interface Claimant extends Moment {
  /** Names this process. */
  readonly by: string;
  /** Milliseconds after which the claim of somebody who was not heard of again lapses. */
  readonly claimMs: number;
}

/**
 * A recurring job is moved to its next slot when it is taken, a job that runs once counts its run: whoever dies in
 * between leaves nothing that would run a second time. However many slots were missed, there is one run.
 */
export function lookAt(job: Job, claimant: Claimant): Look {
  if (!job.enabled || job.state === 'paused' || job.state === 'completed') return { as: 'waits' };
  if (isClaimed(job.fire_claim, claimant.now, fireClaimMs)) return { as: 'waits' };
  if (job.schedule.kind === 'once') return lookOnce(job, claimant);
  return lookRecurring(job, claimant);
}

/** The claim of who runs a job outside of the tick: `cron run`, an external scheduler. */
export const fireClaimMs = 300_000;

/** True while somebody's claim holds. One from the future, after the clock was set back, does not. */
export function isClaimed(claim: Job['run_claim'], now: number, lastsMs: number): boolean {
  const at = claim == null ? undefined : readTime(claim.at, systemZone())?.ms;
  return at !== undefined && Math.abs(now - at) < lastsMs;
}

export function claimOf({ now, zone, by }: Claimant): { at: string; by: string } {
  return { at: isoTime(now, zone), by };
}

function lookOnce(job: Job, claimant: Claimant): Look {
  if (isClaimed(job.run_claim, claimant.now, claimant.claimMs)) return { as: 'waits' };
  const at = timeOf(job.next_run_at) ?? nextRun(job.schedule, timeOf(job.last_run_at), claimant);
  if (at === undefined || at > claimant.now) return { as: 'waits', ...mended(job, at, claimant) };
  const { times, completed } = job.repeat;
  // It was begun before, by somebody who did not live to say how it ended.
  if (times != null && completed >= times) return { as: 'over' };
  const repeat = { times: times ?? null, completed: completed + 1 };
  return { as: 'due', patch: { run_claim: claimOf(claimant), repeat } };
}

function lookRecurring(job: Job, claimant: Claimant): Look {
  const { schedule } = job;
  let at: number | undefined;
  let slot: number | undefined;
  try {
    slot = nextSlot(schedule, claimant);
    at = dueAt(job, slot, claimant);
  } catch {
    // The expression is none: said in the job, and looked at again when it is edited.
    slot = undefined;
  }
  if (at === undefined || slot === undefined)
    return { as: 'waits', ...(job.state === 'error' ? {} : { patch: broken }) };
  if (at > claimant.now) return { as: 'waits', ...mended(job, at, claimant) };
  const { times, completed } = job.repeat;
  if (times != null && completed >= times) return { as: 'over' };
  return { as: 'due', patch: { next_run_at: isoTime(slot, claimant.zone), state: 'scheduled' } };
}

const broken: Patch = { state: 'error', last_error: 'no next run can be computed from its schedule' };

/** The time that is stored, unless it is none or cannot be right any more. */
function dueAt(job: Job, slot: number | undefined, claimant: Claimant): number | undefined {
  const { now, zone } = claimant;
  const { schedule } = job;
  const stored = job.next_run_at == null ? undefined : readTime(job.next_run_at, systemZone());
  if (stored === undefined) return nextRun(schedule, timeOf(job.last_run_at), claimant);
  if (schedule.kind === 'interval' && stored.ms - now > schedule.minutes * 60_000 + onceGraceMs) return slot;
  if (schedule.kind === 'cron' && isOfOtherClock(stored, now, zone)) return slot;
  return stored.ms;
}

/** Written when the clock was another one, for a time on the wall that is still to come. */
function isOfOtherClock(
  { ms, offset }: { ms: number; offset: number | undefined },
  now: number,
  zone: string,
): boolean {
  if (offset === undefined || offset === offsetMinutes(now, zone) || ms > now) return false;
  // The change of the clock itself lies between then and now for what is simply late.
  return ms + offset * 60_000 > wallMs(now, zone);
}

function mended(job: Job, at: number | undefined, { zone }: Moment): { patch?: Patch } {
  const isThere = job.next_run_at != null && timeOf(job.next_run_at) === at;
  if (isThere || (at === undefined && job.next_run_at == null)) return {};
  return { patch: { next_run_at: at === undefined ? null : isoTime(at, zone) } };
}

/** Milliseconds since 1970 of a stored time; undefined for none and for what cannot be read. */
function timeOf(text: string | null | undefined): number | undefined {
  return text == null ? undefined : readTime(text, systemZone())?.ms;
}

/** What is written when a run has ended. */
export interface RunEnd {
  readonly ok: boolean;
  /** Why not, in one line. */
  readonly error?: string | undefined;
  readonly deliveryError?: string | undefined;
}

/**
 * The record after a run. A job that has run as often as it was to is kept as a completed one, which lists leave out; the
 * original deletes it. `manual`: it was not its turn, so its next run stays.
 */
export function afterRun(job: Job, end: RunEnd, moment: Moment, { manual = false } = {}): Patch {
  const { repeat, schedule } = job;
  // One that runs once was counted when it was taken.
  const completed = schedule.kind === 'once' ? repeat.completed : repeat.completed + 1;
  const patch = {
    last_run_at: isoTime(moment.now, moment.zone),
    last_status: end.ok ? 'ok' : 'error',
    last_error: end.ok ? null : (end.error ?? null),
    last_delivery_error: end.deliveryError ?? null,
    repeat: { times: repeat.times ?? null, completed },
    run_claim: undefined,
    fire_claim: undefined,
  };
  const isOver = repeat.times != null && completed >= repeat.times;
  const next = isOver ? undefined : following(schedule, job, moment, manual);
  if (next !== undefined) return { ...patch, next_run_at: isoTime(next, moment.zone) };
  if (!isOver && schedule.kind !== 'once') return { ...patch, state: 'error', next_run_at: null };
  return { ...patch, next_run_at: null, state: 'completed', enabled: false };
}

function following(schedule: Schedule, job: Job, moment: Moment, manual: boolean): number | undefined {
  const stored = timeOf(job.next_run_at);
  if (manual && stored !== undefined && stored > moment.now) return stored;
  try {
    return nextSlot(schedule, moment);
  } catch {
    return undefined;
  }
}
