/** Times as the files of cron write them: ISO 8601 with the offset of a time zone. */

/** Milliseconds since 1970 as `2026-11-27T14:25:47.973000+00:00`, on the clock of an IANA zone. */
export function isoTime(ms: number, zone: string): string {
  return isoAtOffset(ms, offsetMinutes(ms, zone));
}

/** The same on a clock that is some minutes ahead of UTC; a whole second is written without its fraction. */
export function isoAtOffset(ms: number, minutes: number): string {
  const wall = new Date(ms + minutes * minuteMs).toISOString().slice(0, -1);
  const [seconds = '', fraction = ''] = wall.split('.');
  return `${seconds}${fraction === '000' ? '' : `.${fraction}000`}${offsetText(minutes)}`;
}

interface ReadTime {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** Minutes ahead of UTC, where the text said it. */
  readonly offset: number | undefined;
}

/** A day, or a day and a time; without an offset it is one of `zone`. Undefined for anything else and for days that are none. */
export function readTime(text: string, zone: string): ReadTime | undefined {
  const match = timePattern.exec(text.trim());
  if (match === null) return undefined;
  const [, day = '', clock = '00:00', second = '00', fraction = '', mark] = match;
  const whole = `${day}T${clock}:${second}`;
  const wall = Date.parse(`${whole}Z`);
  // The 30th of February becomes a day in March.
  if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 19) !== whole) return undefined;
  const exact = wall + Math.floor(Number(`0.${fraction || '0'}`) * 1000);
  if (mark === undefined) return { ms: instantOf(exact, zone), offset: undefined };
  const offset = readOffset(mark);
  return offset === undefined ? undefined : { ms: exact - offset * minuteMs, offset };
}

/** Minutes that the clock of a zone is ahead of UTC at a moment. */
export function offsetMinutes(ms: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(ms);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return readOffset(name.replace('GMT', '').slice(0, 6) || 'Z') ?? 0;
}

/** What the clock on the wall shows, as milliseconds since 1970 of a clock in UTC. */
export function wallMs(ms: number, zone: string): number {
  return ms + offsetMinutes(ms, zone) * minuteMs;
}

/** The zone of this machine. */
export function systemZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const timePattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s?(Z|z|[+-]\d{2}:?\d{2})?$/;

/** A time that a change of the clock leaves out is as much later; of one that comes twice the first is meant. */
function instantOf(wall: number, zone: string): number {
  const before = offsetMinutes(wall - dayMs, zone);
  const after = offsetMinutes(wall + dayMs, zone);
  for (const offset of [before, after]) {
    const ms = wall - offset * minuteMs;
    if (offsetMinutes(ms, zone) === offset) return ms;
  }
  return wall - before * minuteMs;
}

function readOffset(text: string): number | undefined {
  if (/^z$/i.test(text)) return 0;
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hours, minutes] = match;
  const total = Number(hours) * 60 + Number(minutes);
  return total >= 24 * 60 ? undefined : (sign === '-' ? -1 : 1) * total;
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
