/** Turns of chats on a platform, through inbox and outbox, with a model that answers at once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayPlace, type RunningGateway } from '../parts/gateway.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';
import type { People } from '../parts/people.ts';
import { inMs, quantile } from '../parts/statistics.ts';
import { sharedTime } from '../parts/workplace.ts';

const chats = 50;
const turns = 3000;
/** Messages a second, and for how many seconds. */
const [pace, seconds] = [50, 20];

export const gatewayTurns: Measurement = {
  name: 'gateway-turns',
  async measure() {
    await using place = await GatewayPlace.open('word');
    await using gateway = await place.start();
    const { people } = place;
    await people.talk(500, chats, (person) => 1000 + person);
    const going = await timed(gateway, people, (person) => 1000 + person);
    const latency = await measureLatency(place);
    const fresh = await timed(gateway, people, (_person, message) => 100_000 + message);
    return [
      figure(`a turn of a chat that goes on, ${chats} chats`, going),
      figure(`the first turn of a new chat, ${chats} at a time`, fresh),
      latency,
    ];
  },
};

interface Timed {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly latencies: readonly number[];
}

async function timed(
  gateway: RunningGateway,
  people: People,
  chatOf: (person: number, message: number) => number,
): Promise<Timed> {
  const before = gateway.usage().cpuMs;
  const startedAt = performance.now();
  const latencies = await people.talk(turns, chats, chatOf);
  const wallMs = performance.now() - startedAt;
  return { wallMs, cpuMs: gateway.usage().cpuMs - before, latencies };
}

/** 300 turns a second are 3.3 ms each. */
function figure(what: string, { wallMs, cpuMs, latencies }: Timed): Figure {
  const rate = (turns / wallMs) * 1000;
  return {
    what,
    value: wallMs / turns,
    unit: 'ms',
    mark: 3.33,
    detail: `${rate.toFixed(0)} turns/s, ${inMs(cpuMs / turns)} of CPU each, answered in ${inMs(quantile(latencies, 0.5))} (p95 ${inMs(quantile(latencies, 0.95))})`,
  };
}

/** From the moment at which the platform has a message until the model is asked. */
async function measureLatency({ api, workplace }: GatewayPlace): Promise<Figure> {
  const sentAt = new Map<number, number>();
  await workplace.takeArrivals();
  const startedAt = performance.now();
  for (let message = 1; message <= pace * seconds; message += 1) {
    await sleep(Math.max(1, startedAt + (message * 1000) / pace - performance.now()));
    sentAt.set(message, sharedTime());
    api.say(1000 + (message % chats), `Question q${message}`);
  }
  await sleep(2000);
  const arrivals = await workplace.takeArrivals();
  const added = [...sentAt].flatMap(([message, at]) => {
    const arrived = arrivals.get(message);
    return arrived === undefined ? [] : [arrived - at];
  });
  return {
    what: `from a message to the request to the model, ${pace} messages a second, p95`,
    value: quantile(added, 0.95),
    unit: 'ms',
    mark: 15,
    detail: `${added.length} of ${sentAt.size} messages, median ${inMs(quantile(added, 0.5))}, p99 ${inMs(quantile(added, 0.99))}`,
  };
}
