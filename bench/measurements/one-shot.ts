/** A whole one-shot answer against a bare script that makes the same request. */
import type { Measurement } from '../parts/measurement.ts';
import { peakMemory, takeTurns } from '../parts/processes.ts';
import { inMs, median } from '../parts/statistics.ts';
import { openWorkplace } from '../parts/workplace.ts';

export const oneShot: Measurement = {
  name: 'one-shot',
  async measure() {
    await using workplace = await openWorkplace();
    const hermes = workplace.hermes('word', ['-z', 'hi']);
    const times = await takeTurns({ hermes, bare: workplace.bareRequest('word') }, 21);
    const ours = median(times.hermes);
    const bare = median(times.bare);
    const memory = [await peakMemory(hermes), await peakMemory(hermes), await peakMemory(hermes)];
    return [
      {
        what: 'hermes -z hi / bare request',
        value: ours / bare,
        unit: 'x',
        mark: 2,
        detail: `${inMs(ours)} / ${inMs(bare)}`,
      },
      { what: 'hermes -z hi, peak memory', value: median(memory), unit: 'MB', mark: 80, detail: 'median of 3' },
    ];
  },
};
