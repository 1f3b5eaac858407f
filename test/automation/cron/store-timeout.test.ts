/** A store that does not open keeps no job from running. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openStoreWithin } from '../../../src/runtime/open-store.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { fromTelegram, startScheduler } from './support.ts';

function hold(path: string): DatabaseSync {
  const held = new DatabaseSync(path);
  held.exec('BEGIN EXCLUSIVE');
  return held;
}

test('a run whose store is locked for longer than it may wait goes on without it, and the next one is kept again', async (t) => {
  const { desk, model, chats, after, homePath, program, rows } = await startScheduler(t);
  model.enqueue({ text: 'first' }, { text: 'second' });
  const { id } = await desk.create({ schedule: 'every 30m', prompt: 'x' }, fromTelegram);
  const settings = join(homePath, 'config.yaml');
  // Settings that are changed make the jobs a program of their own, with a store of its own.
  writeFileSync(settings, `${readFileSync(settings, 'utf8')}cron:\n  session_db_timeout_seconds: 0.05\n`);
  const held = hold(join(homePath, 'state.db'));
  await after(30);
  held.close();
  assert.match(chats.texts[0] ?? '', /first/);
  assert.deepEqual(
    rows().map(({ status }) => status),
    ['completed'],
  );
  const kept = async () => ((await program.store?.sessions.list({ source: 'cron' })) ?? []).map((row) => row.id);
  assert.deepEqual(await kept(), []);
  await after(30);
  assert.deepEqual(await kept(), [`cron_${id}_20260720_113000`]);
});

test('with a limit of 0 the store is waited for, and one that is free is there at once', async (t) => {
  const { home } = temporaryHome(t);
  for (const limitMs of [0, 10_000]) {
    const { store, warnings } = await openStoreWithin(home, limitMs);
    assert.deepEqual(warnings, []);
    await store?.close();
  }
});
