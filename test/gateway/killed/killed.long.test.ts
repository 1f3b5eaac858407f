/** A whole gateway that is killed while it answers: whoever wrote is told something, once, in order. */
import { test } from 'node:test';
import { killGateways } from './kill-gateways.ts';

test('killed again and again, a gateway loses no message, and doubles none without a mark', async (t) => {
  await killGateways(t, { kills: 15, seed: 1 });
});

test('the same with answers that are shown while they are written', async (t) => {
  await killGateways(t, { kills: 15, seed: 2, streaming: true });
});

test('the same while lines are cut, answers of the platform are lost and updates come twice', async (t) => {
  await killGateways(t, { kills: 15, seed: 3, troubled: true });
});

test('the same with all of that together', async (t) => {
  await killGateways(t, { kills: 15, seed: 4, troubled: true, streaming: true });
});
