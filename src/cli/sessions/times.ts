/** Points in time as people say them. */

const DAY = 86_400;

/** `just now`, `5m ago`, `2h ago`, `yesterday`, `3d ago`, or the date when it is a week or more. Unix seconds. */
export function relativeTime(seconds: number, now: number): string {
  const age = now - seconds;
  if (age < 60) return 'just now';
  if (age < 3600) return `${Math.floor(age / 60)}m ago`;
  if (age < DAY) return `${Math.floor(age / 3600)}h ago`;
  if (age < 2 * DAY) return 'yesterday';
  if (age < 7 * DAY) return `${Math.floor(age / DAY)}d ago`;
  return localTime(seconds).slice(0, 10);
}

/** `YYYY-MM-DD HH:MM` in the system's time zone. */
export function localTime(seconds: number): string {
  const time = new Date(seconds * 1000);
  if (Number.isNaN(time.getTime())) return '-';
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
