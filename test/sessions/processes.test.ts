/** Several processes on one database. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { program, surviveKills } from './killed-appender.ts';
import { temporaryStore } from './support.ts';

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

test('killed three times while it appends, a process loses and doubles nothing it was promised', async (t) => {
  await surviveKills(t, 3);
});
