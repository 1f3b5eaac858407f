/** The two numbers we go by. */

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Nearest rank. Throws on an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new Error('There is nothing to take a quantile of.');
  return value;
}

/** `12.3 ms`. */
export function inMs(value: number): string {
  return `${value.toFixed(1)} ms`;
}
