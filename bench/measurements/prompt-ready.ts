/**
 * How long it takes until one can type: from the start of `hermes` in a terminal to the prompt on its screen; and how much
 * longer with ten tool servers, one of which never answers.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measurement } from '../parts/measurement.ts';
import type { Program } from '../parts/processes.ts';
import { inMs, median } from '../parts/statistics.ts';
import { readyInTerminal } from '../parts/terminal.ts';
import { openWorkplace, root } from '../parts/workplace.ts';

const rounds = 11;
const servers = 10;

export const promptReady: Measurement = {
  name: 'prompt-ready',
  async measure() {
    await using workplace = await openWorkplace();
    const bare = workplace.hermes('prompt', []);
    const served = workplace.hermes('served', []);
    configureServers(served);
    const runs = { bare: [] as Run[], served: [] as Run[] };
    // The first ones make the home and fill the cache of compiled code.
    for (let round = -2; round < rounds; round += 1) {
      const pair = { bare: await readyInTerminal(bare, '❯'), served: await readyInTerminal(served, '❯') };
      if (round < 0) continue;
      runs.bare.push(pair.bare);
      runs.served.push(pair.served);
    }
    const cpu = runs.bare.flatMap(({ cpuMs }) => cpuMs ?? []);
    const [alone, beside] = [runs.bare, runs.served].map((all) => median(all.map(({ wallMs }) => wallMs)));
    return [
      {
        what: 'interactive prompt ready',
        value: alone ?? 0,
        unit: 'ms',
        mark: 300,
        detail: `median of ${rounds}; fastest ${inMs(Math.min(...runs.bare.map(({ wallMs }) => wallMs)))}${
          cpu.length === 0 ? '' : `; processor time ${inMs(median(cpu))}`
        }`,
      },
      {
        what: `the same with ${servers} tool servers, one silent: so much later`,
        value: Math.max(0, (beside ?? 0) - (alone ?? 0)),
        unit: 'ms',
        mark: 100,
        detail: `${inMs(beside ?? 0)} against ${inMs(alone ?? 0)}, by turns`,
      },
    ];
  },
};

type Run = Awaited<ReturnType<typeof readyInTerminal>>;

function configureServers({ env }: Program): void {
  const fake = join(root, 'test', 'fakes', 'mcp-server.ts');
  const entries = Array.from({ length: servers }, (_, number) => {
    const does = JSON.stringify(number === 0 ? { silent: true } : { tools: [{ name: 'echo' }] });
    return `  s${number}: {command: ${process.execPath}, args: [${fake}, '${does}']}\n`;
  });
  appendFileSync(join(env['HERMES_HOME'] ?? '', 'config.yaml'), `mcp_servers:\n${entries.join('')}`);
}
