/** How long a command waits in a chat whose turn waits for its model or for a tool, while other chats are busy. */
import { GatewayPlace } from '../parts/gateway.ts';
import type { Figure, Measurement } from '../parts/measurement.ts';
import type { People } from '../parts/people.ts';
import { inMs, median } from '../parts/statistics.ts';

const stuck = 50;
const busy = 50;

export const gatewayControl: Measurement = {
  name: 'gateway-control',
  async measure() {
    await using place = await GatewayPlace.open('chat');
    await using _gateway = await place.start();
    const { people, api, workplace } = place;
    for (let chat = 1; chat <= stuck; chat += 1) api.say(chat, chat % 2 === 0 ? 'please wait' : 'please work');
    await workplace.waitFor(stuck);
    const over = new AbortController();
    const others = Promise.all(
      Array.from({ length: busy }, async (_, number) => {
        while (!over.signal.aborted) await people.ask(1000 + number, 'Question');
      }),
    );
    const status = await commands(people, '/status');
    const stop = await commands(people, '/stop');
    over.abort();
    await others;
    return [figure('/status', status), figure('/stop', stop)];
  },
};

async function commands(people: People, command: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let chat = 1; chat <= stuck; chat += 1) {
    const startedAt = performance.now();
    await people.ask(chat, command);
    times.push(performance.now() - startedAt);
  }
  return times;
}

function figure(command: string, times: readonly number[]): Figure {
  return {
    what: `${command} in a chat whose turn is stuck, the slowest`,
    value: Math.max(...times),
    unit: 'ms',
    mark: 2000,
    detail: `median ${inMs(median(times))} of ${times.length}, with ${busy} other chats that talk without a pause`,
  };
}
