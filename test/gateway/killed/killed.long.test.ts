/**
 * A whole gateway that is killed while it answers: whoever wrote is told something, once, in order. Previews, cut lines and
 * other ways come with `scripts/kill-gateways.ts`.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { killAtEvery, killGateways } from './kill-gateways.ts';

const noStrace = spawnSync('strace', ['-V']).status !== 0 && 'no strace';

test('killed again and again, a gateway loses no message, and repeats none without a mark', async (t) => {
  await killGateways(t, { kills: 15, seed: 1 });
});

test('killed again and again while another Hermes answers, it keeps the same', async (t) => {
  await killGateways(t, { kills: 8, seed: 3, streaming: true, proxied: true });
});

test('killed at every flush to its disk, one after the other, it keeps the same', { skip: noStrace }, async (t) => {
  assert.ok((await killAtEvery(t, { calls: 'fsync,fdatasync', streaming: true })) > 5);
});

// Hundreds of gateways, each of which is started, killed and looked after.
const patient = { skip: noStrace, timeout: 3_600_000 };

test('killed at every write to its database on the way of one message, it keeps the same', patient, async (t) => {
  assert.ok((await killAtEvery(t, { calls: 'pwrite64', streaming: true, alone: true })) > 100);
});
