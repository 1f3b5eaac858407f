/** Whether a gateway holds more memory after many turns than after some: chats come and go, each with a few messages. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayPlace } from '../parts/gateway.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';

const steps = 10;
/** At rest it gives back what it does not need; under load V8 lets garbage lie for as long as there is room. */
const restSeconds = 30;
const side = 50;
/** Then somebody else writes. */
const messagesEach = 20;

/** Takes some minutes. */
export const gatewayMemory: Measurement = {
  name: 'gateway-memory',
  onlyByName: true,
  measure: () => measureMemory(20_000),
};

/** Takes half an hour. */
export const gatewayMemoryLong: Measurement = {
  name: 'gateway-memory-long',
  onlyByName: true,
  measure: () => measureMemory(100_000),
};

async function measureMemory(turns: number): Promise<readonly Figure[]> {
  await using place = await GatewayPlace.open('word');
  await using gateway = await place.start();
  const said = Array.from({ length: side }, () => 0);
  const chatOf = (person: number): number => {
    const count = (said[person] ?? 0) + 1;
    said[person] = count;
    return 1000 + person + side * Math.floor(count / messagesEach);
  };
  const held: number[] = [];
  for (let step = 1; step <= steps; step += 1) {
    await place.people.talk(turns / steps, side, chatOf);
    const busy = gateway.usage().rssMb;
    await sleep(restSeconds * 1000);
    const { rssMb } = gateway.usage();
    held.push(rssMb);
    process.stderr.write(`${(turns / steps) * step} turns: ${busy.toFixed(0)} MB, at rest ${rssMb.toFixed(0)} MB\n`);
  }
  const late = held.at(-1) ?? 0;
  const early = held[1] ?? 0;
  const detail = `${late.toFixed(0)} / ${early.toFixed(0)} MB; ${held.map((mb) => mb.toFixed(0)).join(' ')}`;
  return [
    {
      what: `resident memory at rest after ${turns} turns of a gateway / after ${(turns / steps) * 2}`,
      value: late / early,
      unit: 'x',
      mark: 1.1,
      detail,
    },
  ];
}
