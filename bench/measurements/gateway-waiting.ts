/** What many chats cost that wait for a slow model at the same time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayPlace } from '../parts/gateway.ts';
import type { Measurement } from '../parts/measurement.ts';

const waiting = 1000;
/** Seconds that they wait on, with a sign of life in each chat now and then. */
const more = 90;

export const gatewayWaiting: Measurement = {
  name: 'gateway-waiting',
  async measure() {
    await using place = await GatewayPlace.open('wait');
    await using gateway = await place.start();
    const idle = gateway.usage();
    const startedAt = performance.now();
    for (let chat = 1; chat <= waiting; chat += 1) place.api.say(chat, `Question ${chat}`);
    await place.workplace.waitFor(waiting);
    const wallMs = performance.now() - startedAt;
    const { rssMb, cpuMs } = gateway.usage();
    const later: number[] = [];
    for (let second = 0; second < more; second += 1) {
      await sleep(1000);
      later.push(gateway.usage().rssMb);
    }
    return [
      {
        what: `memory with ${waiting} chats that wait for the model`,
        value: rssMb,
        unit: 'MB',
        mark: 400,
        detail: `${idle.rssMb.toFixed(0)} MB idle; all of them waited after ${(wallMs / 1000).toFixed(1)} s and ${((cpuMs - idle.cpuMs) / waiting).toFixed(1)} ms of CPU each`,
      },
      {
        what: `the same, ${more} s later`,
        value: later.at(-1) ?? 0,
        unit: 'MB',
        mark: 400,
        detail: `at most ${Math.max(...later).toFixed(0)} MB meanwhile`,
      },
    ];
  },
};
