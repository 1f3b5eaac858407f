/** Makes ids for new sessions. */
import { randomBytes } from 'node:crypto';

/** `YYYYMMDD_HHMMSS_<6 hex digits>` in local time; `clock.now()` is in milliseconds since the epoch. */
export function newSessionId(clock: { now(): number } = Date): string {
  const time = new Date(clock.now());
  const date = `${time.getFullYear()}${two(time.getMonth() + 1)}${two(time.getDate())}`;
  const hour = `${two(time.getHours())}${two(time.getMinutes())}${two(time.getSeconds())}`;
  return `${date}_${hour}_${randomBytes(3).toString('hex')}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
