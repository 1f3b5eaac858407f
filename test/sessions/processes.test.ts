/** Several processes on one database. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryStore } from './support.ts';

const program = fileURLToPath(new URL('append-forever.ts', import.meta.url));

test('two processes that append 200 messages each leave 400', { timeout: 60_000 }, async (t) => {
  const store = await temporaryStore(t);
  const runs = [0, 1000].map(async (first) => {
    const child = spawn(process.execPath, [program, store.path, 'shared', String(first), '200'], { stdio: 'pipe' });
    let errors = '';
    child.stderr.on('data', (data: Buffer) => {
      errors += data.toString();
    });
    child.stdout.resume();
    const [code] = await once(child, 'close');
    assert.deepEqual([code, errors], [0, '']);
  });
  await Promise.all(runs);
  assert.equal((await store.messages.conversation('shared')).length, 400);
  assert.equal((await store.sessions.get('shared'))?.message_count, 400);
});
