/** What the agent adds between two model requests when a tool runs: seen from the model's side. */
import type { Measurement } from '../parts/measurement.ts';
import { runOnce } from '../parts/processes.ts';
import { median, quantile } from '../parts/statistics.ts';
import { openWorkplace } from '../parts/workplace.ts';

const calls = 30;

export const toolGap: Measurement = {
  name: 'tool-gap',
  async measure() {
    await using workplace = await openWorkplace();
    const gaps: number[] = [];
    // The first run makes the home and fills the caches.
    for (let run = 0; run < 4; run += 1) {
      await runOnce(workplace.hermes(`tools-${calls}`, ['-z', 'hi']));
      const seen = await workplace.takeGaps();
      if (seen.length !== calls) throw new Error(`expected ${calls} tool calls, saw ${seen.length}`);
      if (run > 0) gaps.push(...seen);
    }
    const detail = `3 runs of ${calls} calls of \`echo hi\``;
    return [
      { what: 'tool call to next request, median', value: median(gaps), unit: 'ms', mark: 6, detail },
      { what: 'tool call to next request, p95', value: quantile(gaps, 0.95), unit: 'ms', detail },
    ];
  },
};
