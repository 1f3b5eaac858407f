/** What a person writes as a schedule, and what it means. */
import { Cron } from 'croner';
import * as z from 'zod';
import { UserError } from '../lib/errors.ts';
import { isoAtOffset, isoTime, offsetMinutes, readTime } from './time.ts';

/** As `jobs.json` holds it; `display` is what people are shown. */
export const scheduleSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('once'), run_at: z.string(), display: z.string().optional() }),
  z.object({ kind: z.literal('interval'), minutes: z.number().min(0), display: z.string().optional() }),
  z.object({ kind: z.literal('cron'), expr: z.string(), display: z.string().optional() }),
]);
export type Schedule = z.infer<typeof scheduleSchema>;

/** Now in milliseconds since 1970, and the zone whose clock counts. */
export interface Moment {
  readonly now: number;
  readonly zone: string;
}

/**
 * `30m`, `every 2h`, `0 9 * * 1-5`, `every sunday 9am`, `2026-02-03T14:00:00`. Throws `UserError` that lists the forms;
 * nothing is guessed.
 */
export function parseSchedule(text: string, { now, zone }: Moment): Schedule {
  const given = text.trim();
  const every = /^every\s+(.+)$/i.exec(given)?.[1];
  if (every !== undefined) return repeated(every, given);
  if (looksLikeCron(given)) return cronSchedule(given, { now, zone });
  if (/^\d{4}-\d{2}-\d{2}/.test(given) || given.includes('T')) return onceAt(given, zone);
  const minutes = durationMinutes(given);
  if (minutes === undefined) throw invalid(given);
  return { kind: 'once', run_at: isoTime(now + minutes * minuteMs, zone), display: `once in ${given}` };
}

/** Whole minutes of `30m`, `2 hours`, `1d`; undefined for anything else. */
export function durationMinutes(text: string): number | undefined {
  const match = /^(\d{1,9})\s*([a-z]+)$/i.exec(text.trim());
  const unit = match === null ? undefined : units[(match[2] ?? '').toLowerCase()];
  if (match === null || unit === undefined) return undefined;
  const minutes = Number(match[1]) * unit;
  return minutes > mostMinutes ? undefined : minutes;
}

/**
 * The first moment after `after` (milliseconds) at which a cron expression is due. Undefined when there is none. Throws
 * `UserError` for an expression that is none.
 */
export function nextMatch(expr: string, after: number, zone: string): number | undefined {
  const next = cronOf(expr, zone).nextRun(new Date(after));
  return next?.getTime();
}

const minuteMs = 60_000;
/** A hundred years: what is later is a mistake. */
const mostMinutes = 100 * 366 * 24 * 60;
const units: Readonly<Record<string, number>> = Object.fromEntries([
  ...['m', 'min', 'mins', 'minute', 'minutes'].map((name) => [name, 1]),
  ...['h', 'hr', 'hrs', 'hour', 'hours'].map((name) => [name, 60]),
  ...['d', 'day', 'days'].map((name) => [name, 24 * 60]),
]);
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function looksLikeCron(text: string): boolean {
  const fields = text.split(/\s+/);
  return [5, 6].includes(fields.length) && fields.every((field) => /^[\d*,/-]+$/.test(field));
}

function cronSchedule(expr: string, { now, zone }: Moment): Schedule {
  if (nextMatch(expr, now, zone) === undefined) {
    throw new UserError(`Invalid cron expression '${expr}': there is no day on which it would be due.`);
  }
  return { kind: 'cron', expr, display: expr };
}

/** A sixth field counts seconds here, and stands last; the library wants it first. */
function cronOf(expr: string, zone: string): Cron {
  const fields = expr.trim().split(/\s+/);
  const pattern = fields.length === 6 ? [fields[5], ...fields.slice(0, 5)].join(' ') : fields.join(' ');
  try {
    return new Cron(pattern, {
      timezone: zone,
      paused: true,
      mode: fields.length === 6 ? '6-part' : '5-part',
      // `0/15`, as the original reads it.
      sloppyRanges: true,
      // A minute that a change of the clock leaves out is due right after it, in lists of hours too.
      fixedTimeRule: 'no-wildcard',
    });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error);
    throw new UserError(`Invalid cron expression '${expr}': ${why}`, { cause: error });
  }
}

function repeated(what: string, given: string): Schedule {
  const minutes = durationMinutes(what);
  if (minutes !== undefined) return { kind: 'interval', minutes, display: `every ${minutes}m` };
  const expr = atTimeOfDay(what);
  if (expr === undefined) throw invalid(given);
  return { kind: 'cron', expr, display: expr };
}

/** `1d at 09:00`, `day 7am`, `weekday at 7:30 pm`, `sunday 9am` as a cron expression. */
function atTimeOfDay(text: string): string | undefined {
  const match = /^(1\s*d|1?\s*day|weekdays?|[a-z]+day)\s+(?:at\s+)?(\d{1,2})(?::(\d{2}))?\s*(am|pm)?$/i.exec(text);
  if (match === null) return undefined;
  const [, day = '', hours = '', minutes, half] = match;
  if (minutes === undefined && half === undefined) return undefined;
  const hour = half === undefined ? Number(hours) : onClock(Number(hours), half.toLowerCase());
  const days = daysOf(day.toLowerCase());
  if (hour === undefined || hour > 23 || Number(minutes ?? 0) > 59 || days === undefined) return undefined;
  return `${Number(minutes ?? 0)} ${hour} * * ${days}`;
}

function onClock(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half === 'pm' ? 12 : 0);
}

function daysOf(day: string): string | undefined {
  if (/^1?\s*d(?:ay)?$/.test(day)) return '*';
  if (/^weekdays?$/.test(day)) return '1-5';
  const index = weekdays.indexOf(day);
  return index < 0 ? undefined : String(index);
}

function onceAt(given: string, zone: string): Schedule {
  const time = readTime(given, zone);
  if (time === undefined) throw new UserError(`Invalid timestamp '${given}'. Use one such as 2026-02-03T14:00:00.`);
  const offset = time.offset ?? offsetMinutes(time.ms, zone);
  const at = isoAtOffset(time.ms, offset);
  return { kind: 'once', run_at: at, display: `once at ${at.slice(0, 16).replace('T', ' ')}` };
}

function invalid(given: string): UserError {
  return new UserError(
    [
      `Invalid schedule '${given}'. Use:`,
      "  - Duration: '30m', '2h', '1d' (once, that much later)",
      "  - Interval: 'every 30m', 'every 2h'",
      "  - Time of day: 'every day at 09:00', 'every sunday 9am'",
      "  - Cron: '0 9 * * *' (minute, hour, day, month, weekday)",
      "  - Timestamp: '2026-02-03T14:00:00' (once, at that time)",
    ].join('\n'),
  );
}
