/** The last time a clock on the wall showed an hour. */

/**
 * The most recent moment, not after `now`, at which it was `hour` o'clock.
 * @param timeZone IANA zone; empty or absent for that of the machine
 * On a day on which the clock skips that hour it is the moment of the skip.
 */
export function latestHour(hour: number, now: Date, timeZone?: string): Date {
  const clock = new Intl.DateTimeFormat('en-CA', {
    ...(timeZone === undefined || timeZone === '' ? {} : { timeZone }),
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const today = wallTime(clock, now);
  for (let daysAgo = 0; ; daysAgo += 1) {
    const wanted = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() - daysAgo, hour);
    const moment = momentOf(clock, wanted);
    if (moment <= now.getTime() || daysAgo === 2) return new Date(moment);
  }
}

/** What the clock on the wall shows, as if it were UTC. */
function wallTime(clock: Intl.DateTimeFormat, moment: Date): Date {
  const parts = new Map(clock.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const day = [part('year'), part('month') - 1, part('day')] as const;
  return new Date(Date.UTC(...day, part('hour'), part('minute'), part('second')));
}

/** The first moment at which the clock shows this time. */
function momentOf(clock: Intl.DateTimeFormat, wanted: number): number {
  // Offsets change at most twice within a day of the wanted time: the one before and the one after are all there are.
  const candidates = [-1, 1].map((days) => {
    const near = wanted + days * DAY;
    return wanted - (wallTime(clock, new Date(near)).getTime() - near);
  });
  const shows = candidates.filter((moment) => wallTime(clock, new Date(moment)).getTime() === wanted);
  // A skipped hour: counted with the offset from before, it is the moment of the skip.
  return shows.length > 0 ? Math.min(...shows) : Math.max(...candidates);
}

const DAY = 24 * 3_600_000;
