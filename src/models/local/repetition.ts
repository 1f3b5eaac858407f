/** Notices a model that says the same again and again, as the smallest ones do once they have lost the thread. */

/** Characters that are said over and over; shorter ones are rules, rows of a table and the like. */
const periods = { min: 20, max: 400 } as const;
/** So often in a row, and so many characters in all, nobody says anything on purpose. */
const minTimes = 5;
const minRepeated = 400;

/** Characters of an answer's end that have to be looked at. */
export const tailChars = periods.max * minTimes;

/** Whether `tail` ends in one piece of text that stands there several times in a row. */
export function repeatsItself(tail: string): boolean {
  for (let period = periods.min; period <= periods.max; period += 1) {
    const repeated = Math.max(minTimes * period, minRepeated);
    if (repeated > tail.length) return false;
    if (hasPeriod(tail, period, repeated)) return true;
  }
  return false;
}

function hasPeriod(tail: string, period: number, length: number): boolean {
  const begin = tail.length - length;
  for (let at = tail.length - 1; at >= begin + period; at -= 1) {
    if (tail.charCodeAt(at) !== tail.charCodeAt(at - period)) return false;
  }
  return true;
}
