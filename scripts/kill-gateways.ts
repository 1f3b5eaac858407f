/**
 * Kills whole gateways in every way that the tests know, and says what became of the messages. The tests do the plain way;
 * this is for whoever changes how messages are kept, and takes minutes.
 *
 *   node scripts/kill-gateways.ts [first seed] [seeds] [kills of each run]
 */
import { killGateways, type KillOptions } from '../test/gateway/killed/kill-gateways.ts';

const [first = 1, seeds = 1, kills = 16] = process.argv.slice(2).map(Number);
const ways: readonly Omit<KillOptions, 'kills' | 'seed'>[] = [
  {},
  { streaming: true },
  { troubled: true },
  { streaming: true, troubled: true },
  { maxMessageLength: 300, troubled: true },
  { maxMessageLength: 300, streaming: true, troubled: true },
  { streaming: true, sentAnew: true },
  { maxMessageLength: 300, streaming: true, sentAnew: true, troubled: true },
  { busyMode: 'steer' },
  { busyMode: 'interrupt' },
  { busyMode: 'steer', streaming: true, troubled: true },
  { busyMode: 'interrupt', streaming: true, troubled: true },
];

let failed = 0;
for (let seed = first; seed < first + seeds; seed += 1) {
  for (const way of ways) {
    const ends: (() => unknown)[] = [];
    const place = { diagnostic: say, after: (end: () => unknown) => void ends.push(end) };
    try {
      await killGateways(place, { ...way, kills, seed });
      say(`kept: ${JSON.stringify(way)}`);
    } catch (error) {
      failed += 1;
      say(`NOT KEPT: ${JSON.stringify(way)}\n${error instanceof Error ? error.message : String(error)}`);
    }
    for (const end of ends) end();
  }
}
process.exit(failed === 0 ? 0 : 1);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
