/** Looking up names that somebody else chose. */

/** The record's own value: a name such as `constructor` does not find what every object inherits. */
export function ownValue<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
