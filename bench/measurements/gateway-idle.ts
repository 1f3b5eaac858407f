/** What a gateway costs while nobody writes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { GatewayPlace } from '../parts/gateway.ts';
import type { Measurement } from '../parts/measurement.ts';
import { inMs } from '../parts/statistics.ts';

/** What the start leaves to be done is done by then. */
const settleSeconds = 5;
const seconds = 60;

export const gatewayIdle: Measurement = {
  name: 'gateway-idle',
  async measure() {
    await using place = await GatewayPlace.open('word');
    await using gateway = await place.start();
    await sleep(settleSeconds * 1000);
    const before = gateway.usage();
    await sleep(seconds * 1000);
    const { cpuMs, rssMb, peakMb } = gateway.usage();
    const used = cpuMs - before.cpuMs;
    const detail = `at most ${peakMb.toFixed(0)} MB since the start`;
    return [
      { what: 'memory of an idle gateway', value: rssMb, unit: 'MB', mark: 100, detail },
      {
        what: 'processor of an idle gateway',
        value: used / (seconds * 10),
        unit: '%',
        mark: 1,
        detail: `${inMs(used)} in ${seconds} s`,
      },
    ];
  },
};
