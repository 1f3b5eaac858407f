/** How long a gateway takes to be ready, with much in its store and much that an earlier one has left to be done. */
import { join } from 'node:path';
import { GatewayPlace } from '../parts/gateway.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';
import { runOnce } from '../parts/processes.ts';
import { inMs, median } from '../parts/statistics.ts';
import { root } from '../parts/workplace.ts';

const rounds = 5;
const stored = 350_000;
const queued = 10_000;
const fillMs = 900_000;

/** Filling the store takes some minutes. */
export const gatewayReady: Measurement = {
  name: 'gateway-ready',
  onlyByName: true,
  async measure() {
    const empty = await measureStarts('an empty store', [0, 0, 0], 1500);
    const large = await measureStarts(`${stored} stored messages`, [stored, 0, 0], 1500);
    return [
      empty,
      large,
      await measureQueue(`${queued} messages that wait`, [0, queued, 0]),
      await measureQueue(`${queued} answers that were not sent`, [0, 0, queued]),
    ];
  },
};

type Filling = readonly [messages: number, waiting: number, unsent: number];

async function measureStarts(what: string, filling: Filling, mark: number): Promise<Figure> {
  await using place = await GatewayPlace.open('word');
  await fill(place, filling);
  // The first start fills the home and the cache of compiled code.
  const times = [];
  for (let round = -1; round < rounds; round += 1) {
    await using gateway = await place.start();
    if (round >= 0) times.push(gateway.readyMs);
  }
  const detail = `median of ${rounds}; slowest ${inMs(Math.max(...times))}`;
  return { what: `a gateway ready with ${what}`, value: median(times), unit: 'ms', mark, detail };
}

/** It can be measured only once: what waited is done then. */
async function measureQueue(what: string, filling: Filling): Promise<Figure> {
  await using place = await GatewayPlace.open('word');
  await (await place.start())[Symbol.asyncDispose]();
  await fill(place, filling);
  let answers = 0;
  const all = Promise.withResolvers<void>();
  place.api.onAct = ({ kind }) => {
    if (kind === 'sent') answers += 1;
    if (answers === queued) all.resolve();
  };
  const startedAt = performance.now();
  await using gateway = await place.start();
  const { readyMs } = gateway;
  await all.promise;
  const seconds = (performance.now() - startedAt) / 1000;
  const detail = `all done after ${seconds.toFixed(1)} s, at most ${gateway.usage().peakMb.toFixed(0)} MB`;
  return { what: `a gateway ready with ${what}`, value: readyMs, unit: 'ms', mark: 2000, detail };
}

async function fill({ home, folder }: GatewayPlace, filling: Filling): Promise<void> {
  const args = [join(root, 'bench', 'parts', 'fill-gateway.ts'), home, ...filling.map(String)];
  await runOnce({ command: process.execPath, args, env: { PATH: process.env.PATH ?? '' }, cwd: folder }, fillMs);
}
