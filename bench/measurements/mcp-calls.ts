/** Calls of a tool server that a model makes at once, where the server allows that: how much longer they take than the slowest. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measurement } from '../parts/measurement.ts';
import { runOnce } from '../parts/processes.ts';
import { inMs, median } from '../parts/statistics.ts';
import { openWorkplace, root } from '../parts/workplace.ts';

const calls = 8;
const slowestMs = 1000;
const rounds = 5;

export const mcpCalls: Measurement = {
  name: 'mcp-calls',
  async measure() {
    await using workplace = await openWorkplace();
    const program = workplace.hermes(`served-${calls}`, ['-z', 'hi']);
    const fake = join(root, 'test', 'fakes', 'mcp-server.ts');
    const does = JSON.stringify({ tools: [{ name: 'sleep' }] });
    const entry = `{command: ${process.execPath}, args: [${fake}, '${does}'], supports_parallel_tool_calls: true}`;
    appendFileSync(join(program.env['HERMES_HOME'] ?? '', 'config.yaml'), `mcp_servers:\n  s: ${entry}\n`);
    const gaps: number[] = [];
    // The first run makes the home and fills the caches.
    for (let round = -1; round < rounds; round += 1) {
      await runOnce(program);
      const seen = await workplace.takeGaps();
      if (seen.length !== 1) throw new Error(`expected one batch of calls, saw ${seen.length}`);
      if (round >= 0) gaps.push(...seen);
    }
    return [
      {
        what: `${calls} calls of a tool server at once, against the slowest of them`,
        value: median(gaps) / slowestMs,
        unit: 'x',
        mark: 1.1,
        detail: `median of ${rounds}: ${inMs(median(gaps))}; one after another they would take ${inMs((slowestMs * (calls + 1)) / 2)}`,
      },
    ];
  },
};
