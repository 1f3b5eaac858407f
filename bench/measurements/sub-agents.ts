/** What a sub-agent costs over its own requests, and how much a hundred of them hold at once. */
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { bundle } from '../parts/bundle.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';
import { runOnce } from '../parts/processes.ts';
import { openWorkplace } from '../parts/workplace.ts';

const count = 100;
const shape = z.object({ cpuMs: z.number(), alone: z.number(), held: z.number() });
const mb = 1e6;

export const subAgents: Measurement = {
  name: 'sub-agents',
  async measure(): Promise<Figure[]> {
    await using workplace = await openWorkplace();
    using program = await bundle('./bench/parts/sub-agents.ts');
    const { env, cwd } = workplace.hermes('word', []);
    const script = [fileURLToPath(program.address), env['HERMES_HOME'] ?? '', String(count)];
    const args = ['--expose-gc', '--max-semi-space-size=1', ...script];
    const run = await runOnce({ command: process.execPath, args, env, cwd });
    const { cpuMs, alone, held } = shape.parse(JSON.parse(run.stdout));
    const detail = `${(held / mb).toFixed(0)} MB, without them ${(alone / mb).toFixed(0)} MB`;
    return [
      { what: 'processor time of a sub-agent', value: cpuMs, unit: 'ms', mark: 5, detail: `mean of ${count}` },
      { what: 'memory of a sub-agent that waits', value: (held - alone) / count / mb, unit: 'MB', mark: 3, detail },
      { what: `a process with ${count} sub-agents`, value: held / mb, unit: 'MB', mark: 250, detail },
    ];
  },
};
