/** Starts that come too soon after others. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { countStart, isRestartLoop } from '../../../src/gateway/process/start-guards.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'hermes-starts-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('as many unclean ends as the settings say within their window are a loop', (t) => {
  const path = folder(t);
  const limits = { maxStarts: 2, windowSeconds: 10 };
  assert.equal(isRestartLoop(path, limits, 0), false);
  assert.equal(isRestartLoop(path, limits, 11_000), false);
  assert.equal(isRestartLoop(path, limits, 20_000), true);
});

test('a start after too many others waits longer with each, and never longer than five minutes', (t) => {
  const path = folder(t);
  const limits = { maxStarts: 2, windowSeconds: 60 };
  const waits = Array.from({ length: 9 }, (_, index) => countStart(path, limits, 1_000_000 + index));
  assert.deepEqual(waits, [0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  assert.equal(countStart(path, limits, 2_000_000), 0);
});

test('with a limit of 0 no start waits', (t) => {
  const path = folder(t);
  const limits = { maxStarts: 0, windowSeconds: 60 };
  const waits = Array.from({ length: 9 }, (_, index) => countStart(path, limits, 1_000_000 + index));
  assert.deepEqual(new Set(waits), new Set([0]));
});
