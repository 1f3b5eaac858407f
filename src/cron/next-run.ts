/** When a job is due next, and how late is late. */
import { nextMatch, type Moment, type Schedule } from './schedule.ts';
import { readTime, systemZone } from './time.ts';

/** A job that runs once is still run this long after its time, in milliseconds. */
export const onceGraceMs = 120_000;

/**
 * Milliseconds since 1970; undefined when it is never due again. `last`: when it ran before. Throws `UserError` for a
 * cron expression that is none.
 */
export function nextRun(schedule: Schedule, last: number | undefined, { now, zone }: Moment): number | undefined {
  if (schedule.kind === 'once') {
    const at = readTime(schedule.run_at, systemZone())?.ms;
    return at === undefined || last !== undefined || at < now - onceGraceMs ? undefined : at;
  }
  if (schedule.kind === 'interval') return (last ?? now) + schedule.minutes * minuteMs;
  return nextMatch(schedule.expr, last ?? now, zone);
}

/** The first slot after now, whatever was missed before. */
export function nextSlot(schedule: Schedule, moment: Moment): number | undefined {
  return schedule.kind === 'once' ? undefined : nextRun(schedule, moment.now, moment);
}

/** Up to this many milliseconds late is still on time: half a period, within 2 minutes and 2 hours. */
export function graceMs(schedule: Schedule, moment: Moment): number {
  const period = periodMs(schedule, moment);
  return period === undefined ? onceGraceMs : Math.min(Math.max(period / 2, onceGraceMs), mostGraceMs);
}

const minuteMs = 60_000;
const mostGraceMs = 7_200_000;

function periodMs(schedule: Schedule, { now, zone }: Moment): number | undefined {
  if (schedule.kind === 'once') return undefined;
  if (schedule.kind === 'interval') return schedule.minutes * minuteMs;
  const first = nextMatch(schedule.expr, now, zone);
  const second = first === undefined ? undefined : nextMatch(schedule.expr, first, zone);
  return first === undefined || second === undefined ? undefined : second - first;
}
