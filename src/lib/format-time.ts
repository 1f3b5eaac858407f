/** Times by a pattern of strftime (https://docs.python.org/3/library/datetime.html#format-codes), in local time. */

/** What is no known code stays as it is. */
export function formatTime(pattern: string, time: Date): string {
  return pattern.replaceAll(/%([a-zA-Z%])/g, (whole, code: string) => parts[code]?.(time) ?? whole);
}

const padded = (value: number, width = 2): string => String(value).padStart(width, '0');
const named = (options: Intl.DateTimeFormatOptions) => (time: Date) =>
  new Intl.DateTimeFormat('en', options).format(time);

const parts: Readonly<Record<string, (time: Date) => string>> = {
  H: (time) => padded(time.getHours()),
  I: (time) => padded(time.getHours() % 12 || 12),
  M: (time) => padded(time.getMinutes()),
  S: (time) => padded(time.getSeconds()),
  p: (time) => (time.getHours() < 12 ? 'AM' : 'PM'),
  d: (time) => padded(time.getDate()),
  m: (time) => padded(time.getMonth() + 1),
  y: (time) => padded(time.getFullYear() % 100),
  Y: (time) => padded(time.getFullYear(), 4),
  a: named({ weekday: 'short' }),
  A: named({ weekday: 'long' }),
  b: named({ month: 'short' }),
  B: named({ month: 'long' }),
  F: (time) => `${padded(time.getFullYear(), 4)}-${padded(time.getMonth() + 1)}-${padded(time.getDate())}`,
  T: (time) => `${padded(time.getHours())}:${padded(time.getMinutes())}:${padded(time.getSeconds())}`,
  '%': () => '%',
};
