/** Whether a session of many turns holds more memory than one of a few. */
import { join } from 'node:path';
import * as z from 'zod';
import type { Figure, Measurement } from '../parts/measurement.ts';
import { runOnce } from '../parts/processes.ts';
import { openWorkplace, root } from '../parts/workplace.ts';

const warmedUp = 50;
const turns = 300;
const shape = z.object({ held: z.array(z.object({ rss: z.number(), heapUsed: z.number() })) });

export const memoryOverTurns: Measurement = {
  name: 'memory-over-turns',
  async measure() {
    await using workplace = await openWorkplace();
    const { env, cwd } = workplace.hermes('turns', []);
    // V8 lets its young generation grow when it likes to, by some 25 MB; here it is what is held that counts.
    const flags = ['--expose-gc', '--max-semi-space-size=1'];
    const script = [join(root, 'bench', 'parts', 'turns.ts'), env['HERMES_HOME'] ?? '', `${warmedUp},${turns}`];
    const run = await runOnce({ command: process.execPath, args: [...flags, ...script], env, cwd });
    const [early, late] = shape.parse(JSON.parse(run.stdout)).held;
    if (early === undefined || late === undefined) throw new Error('the turns were not measured');
    return [figure('resident memory', early.rss, late.rss), figure('heap', early.heapUsed, late.heapUsed)];
  },
};

function figure(what: string, early: number, late: number): Figure {
  const inMb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return {
    what: `${what} after ${turns} turns / after ${warmedUp}`,
    value: late / early,
    unit: 'x',
    mark: 1.1,
    detail: `${inMb(late)} / ${inMb(early)}`,
  };
}
