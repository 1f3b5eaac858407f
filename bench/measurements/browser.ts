/** What the browser costs: the first page of a program, and each thing that is done on a page afterwards. */
import type { Measurement } from '../parts/measurement.ts';
import { runOnce } from '../parts/processes.ts';
import { inMs, median, quantile } from '../parts/statistics.ts';
import { openWorkplace } from '../parts/workplace.ts';

const rounds = 5;
const things = 20;

export const browser: Measurement = {
  name: 'browser',
  async measure() {
    await using workplace = await openWorkplace();
    const [first, later]: [number[], number[]] = [[], []];
    // The first run makes the home and fills the caches.
    for (let round = -1; round < rounds; round += 1) {
      const { stdout } = await runOnce(workplace.hermes(`browse-${things}`, ['-z', 'hi']));
      const [opening, ...others] = await workplace.takeGaps();
      if (opening === undefined || others.length !== things)
        throw new Error(`expected ${things + 1} calls, saw ${others.length + 1}: ${stdout.slice(0, 200)}`);
      if (round >= 0) first.push(opening);
      if (round >= 0) later.push(...others);
    }
    return [
      {
        what: 'first call of the browser',
        value: median(first),
        unit: 'ms',
        mark: 1500,
        detail: `median of ${rounds} programs, a page of this machine; ${inMs(Math.max(...first))} at most`,
      },
      {
        what: 'a thing done on a page that takes no time itself',
        value: median(later),
        unit: 'ms',
        mark: 50,
        detail: `${rounds} programs, ${things} clicks, snapshots, scrolls and keys each, to the next request; p95 ${inMs(quantile(later, 0.95))}`,
      },
    ];
  },
};
