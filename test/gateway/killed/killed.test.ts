/** A whole gateway that is killed while it answers: whoever wrote is told something, once, in order. */
import { test } from 'node:test';
import { killGateways } from './kill-gateways.ts';

test('killed fifteen times, a gateway loses no message, and doubles none without a mark', async (t) => {
  await killGateways(t, { kills: 15, seed: 1 });
});
