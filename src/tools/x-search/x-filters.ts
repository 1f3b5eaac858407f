/** What a search on X is narrowed by, checked before it is paid for: xAI takes anything and then answers without sources. */

export interface XFilters {
  readonly allowed_x_handles: readonly string[];
  readonly excluded_x_handles: readonly string[];
  /** Empty = not set. */
  readonly from_date: string;
  readonly to_date: string;
}

const maxHandles = 10;

/** What is wrong with them, in one line. A day to come may end the time, and not begin it. */
export function problemOf(filters: XFilters, now: Date): string | undefined {
  const { allowed_x_handles: allowed, excluded_x_handles: excluded, from_date: from, to_date: to } = filters;
  if (allowed.length > maxHandles) return `allowed_x_handles takes at most ${maxHandles} accounts.`;
  if (excluded.length > maxHandles) return `excluded_x_handles takes at most ${maxHandles} accounts.`;
  if (allowed.length > 0 && excluded.length > 0) {
    return 'allowed_x_handles and excluded_x_handles cannot be used together.';
  }
  if (from !== '' && !isDay(from)) return `from_date must be a day as YYYY-MM-DD, not '${from.slice(0, 40)}'.`;
  if (to !== '' && !isDay(to)) return `to_date must be a day as YYYY-MM-DD, not '${to.slice(0, 40)}'.`;
  if (from !== '' && to !== '' && from > to) return `from_date (${from}) must not be after to_date (${to}).`;
  const today = now.toISOString().slice(0, 10);
  return from > today ? `from_date (${from}) is still to come: today is ${today} (UTC).` : undefined;
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
