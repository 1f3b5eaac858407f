/** A program that has nothing to do any more ends, whatever still holds it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const source = new URL('../../src/cli/exit-watchdog.ts', import.meta.url).href;

/** Exit code of a program that works on for ever, or for no time at all. */
function exitCodeOf(seconds: number, holds: boolean): number | null {
  const script = `import { exitAfter } from '${source}'; process.exitCode = 7; exitAfter(${seconds}); ${holds ? 'setInterval(() => 0, 1000);' : ''}`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 }).status;
}

test('what still runs is left behind with the exit code that stands, and nothing waits for the watchdog itself', () => {
  assert.equal(exitCodeOf(0.05, true), 7);
  assert.equal(exitCodeOf(3600, false), 7);
});
