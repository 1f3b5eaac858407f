/** Whether a step still costs the same after 200 of them. */
import type { Measurement } from '../parts/measurement.ts';
import { runOnce } from '../parts/processes.ts';
import { inMs, median } from '../parts/statistics.ts';
import { openWorkplace } from '../parts/workplace.ts';

const steps = 200;
const compared = 20;

export const longConversation: Measurement = {
  name: 'long-conversation',
  async measure() {
    await using workplace = await openWorkplace();
    const first: number[] = [];
    const last: number[] = [];
    for (let run = 0; run < 3; run += 1) {
      await runOnce(workplace.hermes(`tools-${steps}`, ['-z', 'hi']));
      const gaps = await workplace.takeGaps();
      if (gaps.length !== steps) throw new Error(`expected ${steps} steps, saw ${gaps.length}`);
      first.push(...gaps.slice(0, compared));
      last.push(...gaps.slice(-compared));
    }
    return [
      {
        what: `step ${steps - compared + 1}-${steps} / step 1-${compared}`,
        value: median(last) / median(first),
        unit: 'x',
        mark: 1.5,
        detail: `${inMs(median(last))} / ${inMs(median(first))}`,
      },
    ];
  },
};
