/** A whole gateway that is killed while it answers: whoever wrote is told something, once, in order. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { killAtEvery, killGateways } from './kill-gateways.ts';

const kills = 15;
const noStrace = spawnSync('strace', ['-V']).status !== 0 && 'no strace';

test('killed again and again, a gateway loses no message, and repeats none without a mark', async (t) => {
  await killGateways(t, { kills, seed: 1 });
});

test('the same with answers that are shown while they are written', async (t) => {
  await killGateways(t, { kills, seed: 2, streaming: true });
});

test('the same while lines are cut, answers of the platform are lost and updates come twice', async (t) => {
  await killGateways(t, { kills, seed: 3, troubled: true });
});

test('the same with all of that, and answers of many parts', async (t) => {
  await killGateways(t, { kills, seed: 4, troubled: true, streaming: true, maxMessageLength: 300 });
});

test('the same with messages that go into the running turn', async (t) => {
  await killGateways(t, { kills, seed: 5, troubled: true, streaming: true, busyMode: 'steer' });
});

test('the same with messages that interrupt it', async (t) => {
  await killGateways(t, { kills, seed: 6, troubled: true, streaming: true, busyMode: 'interrupt' });
});

test('killed at every flush to its disk, one after the other, it keeps the same', { skip: noStrace }, async (t) => {
  assert.ok((await killAtEvery(t, 'fsync,fdatasync', { streaming: true })) > 5);
});
