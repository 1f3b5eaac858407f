/** How late the event loop of a gateway is while chats talk as fast as they are answered, long conversations among them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { GatewayPlace } from '../parts/gateway.ts';
import type { Measurement } from '../parts/measurement.ts';
import { inMs } from '../parts/statistics.ts';

const chats = 50;
const turns = 5000;

const delays = z.object({
  median: z.number(),
  p99: z.number(),
  p999: z.number(),
  max: z.number(),
  count: z.number(),
});

export const gatewayLoop: Measurement = {
  name: 'gateway-loop',
  async measure() {
    await using place = await GatewayPlace.open('word');
    const file = join(place.home, 'loop-delay.json');
    {
      await using gateway = await place.start({ preload: join(import.meta.dirname, '../parts/loop-delay.mjs'), file });
      // What a start costs is measured elsewhere.
      await place.people.talk(500, chats, (person) => 1000 + person);
      gateway.kill('SIGUSR2');
      await place.people.talk(turns, chats, (person) => 1000 + person);
    }
    const { median, p99, p999, max, count } = delays.parse(JSON.parse(readFileSync(file, 'utf8')));
    return [
      {
        what: `how late the event loop is while ${chats} chats talk without a pause, p99`,
        value: p99,
        unit: 'ms',
        mark: 100,
        detail: `${turns} turns, ${count} looks: median ${inMs(median)}, p99.9 ${inMs(p999)}, at most ${inMs(max)}`,
      },
    ];
  },
};
