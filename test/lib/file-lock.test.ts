/** Locks between processes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { withFileLock } from '../../src/lib/file-lock.ts';

function lockPath(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-lock-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'sub', 'auth.lock');
}

test('only one holds the lock at a time', async (t) => {
  const path = lockPath(t);
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => withFileLock(path, work)));
  assert.equal(most, 1);
});

test('the lock of a killed process is free at once', async (t) => {
  const path = lockPath(t);
  const module = new URL('../../src/lib/file-lock.ts', import.meta.url).href;
  const code = `import { withFileLock } from ${JSON.stringify(module)};
    await withFileLock(${JSON.stringify(path)}, () => new Promise((done) => { console.log('held'); setTimeout(done, 60_000); }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  await assert.rejects(
    withFileLock(path, () => undefined, { timeoutMs: 30 }),
    /holding/,
  );
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(await withFileLock(path, () => 'mine'), 'mine');
});

test('a lock file of another program that holds text is taken over', async (t) => {
  const path = lockPath(t);
  await withFileLock(path, () => undefined);
  writeFileSync(path, 'pid 1234\n'.repeat(200));
  assert.equal(await withFileLock(path, () => 'mine'), 'mine');
});

test('the error of the work comes out, and the lock is free again', async (t) => {
  const path = lockPath(t);
  await assert.rejects(
    withFileLock(path, () => Promise.reject(new Error('boom'))),
    /boom/,
  );
  assert.equal(await withFileLock(path, () => 1), 1);
});
