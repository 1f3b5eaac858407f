/** What an answer in 20,000 events costs over one of a single word. */
import type { Measurement } from '../parts/measurement.ts';
import { peakMemory, takeTurns } from '../parts/processes.ts';
import { inMs, median } from '../parts/statistics.ts';
import { openWorkplace } from '../parts/workplace.ts';

export const longStream: Measurement = {
  name: 'long-stream',
  async measure() {
    await using workplace = await openWorkplace();
    const long = workplace.hermes('stream-20000', ['-z', 'hi']);
    const times = await takeTurns({ long, short: workplace.hermes('word', ['-z', 'hi']) }, 11);
    const extra = median(times.long) - median(times.short);
    const memory = [await peakMemory(long), await peakMemory(long), await peakMemory(long)];
    const detail = `${inMs(median(times.long))} - ${inMs(median(times.short))}`;
    return [
      { what: '20,000 events over one word', value: extra, unit: 'ms', mark: 90, detail },
      { what: '20,000 events, peak memory', value: median(memory), unit: 'MB', mark: 110, detail: 'median of 3' },
    ];
  },
};
