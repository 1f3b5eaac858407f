/** How long timers can be. */

/** https://nodejs.org/docs/latest-v24.x/api/timers.html#settimeoutcallback-delay-args: a longer one ends at once. */
const maxTimerMs = 2 ** 31 - 1;

/** A deadline as a timer can have it: settings may ask for more than 24 days. */
export function timerMs(asked: number): number {
  return Math.min(asked, maxTimerMs);
}
