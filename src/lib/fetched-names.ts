/**
 * Which variables a secret manager gave, or is asked with. Whatever they are called, they are secrets: their names travel
 * with the values.
 */

/** The variable that holds the names, beside the others; no command inherits it. */
export const fetchedMark = '_HERMES_FETCHED';

/** Writes the names into `values`. */
export function markFetched(values: Record<string, string | undefined>, names: Iterable<string>): void {
  const text = [...names].join(' ');
  if (text === '') delete values[fetchedMark];
  else values[fetchedMark] = text;
}

/** The names that were marked. */
export function fetchedNames(values: Readonly<Record<string, string | undefined>>): ReadonlySet<string> {
  return new Set(values[fetchedMark]?.split(' '));
}
