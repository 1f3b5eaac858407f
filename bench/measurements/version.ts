/** `hermes --version` against a Node that does nothing. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measurement } from '../parts/measurement.ts';
import { takeTurns } from '../parts/processes.ts';
import { inMs, median } from '../parts/statistics.ts';
import { root } from '../parts/workplace.ts';

export const version: Measurement = {
  name: 'version',
  async measure() {
    const place = { command: process.execPath, env: { PATH: process.env.PATH ?? '' }, cwd: tmpdir() };
    const times = await takeTurns(
      {
        hermes: { ...place, args: [join(root, 'bin', 'hermes.mjs'), '--version'] },
        node: { ...place, args: ['-e', '0'] },
      },
      25,
    );
    const hermes = median(times.hermes);
    const node = median(times.node);
    return [
      {
        what: 'hermes --version / node -e 0',
        value: hermes / node,
        unit: 'x',
        mark: 1.5,
        detail: `${inMs(hermes)} / ${inMs(node)}`,
      },
    ];
  },
};
