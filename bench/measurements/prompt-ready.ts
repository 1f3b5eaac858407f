/** How long it takes until one can type: from the start of `hermes` in a terminal to the prompt on its screen. */
import type { Measurement } from '../parts/measurement.ts';
import { inMs, median } from '../parts/statistics.ts';
import { readyInTerminal } from '../parts/terminal.ts';
import { openWorkplace } from '../parts/workplace.ts';

const rounds = 11;

export const promptReady: Measurement = {
  name: 'prompt-ready',
  async measure() {
    await using workplace = await openWorkplace();
    const hermes = workplace.hermes('prompt', []);
    const runs = [];
    // The first ones make the home and fill the cache of compiled code.
    for (let round = -2; round < rounds; round += 1) {
      const run = await readyInTerminal(hermes, '❯');
      if (round >= 0) runs.push(run);
    }
    const cpu = runs.flatMap(({ cpuMs }) => cpuMs ?? []);
    return [
      {
        what: 'interactive prompt ready',
        value: median(runs.map(({ wallMs }) => wallMs)),
        unit: 'ms',
        mark: 300,
        detail: `median of ${rounds}; fastest ${inMs(Math.min(...runs.map(({ wallMs }) => wallMs)))}${
          cpu.length === 0 ? '' : `; processor time ${inMs(median(cpu))}`
        }`,
      },
    ];
  },
};
