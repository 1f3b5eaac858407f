/** Memory under several writers: processes that write at once, and processes that are killed while they write. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withFileLock } from '../../src/lib/file-lock.ts';
import { place, surviveKills, writer } from './killed-writers.ts';

test('two processes that write at the same time lose nothing', async (t) => {
  const { homePath, store, temporary } = place(t);
  const children = await Promise.all(['one', 'two'].map((prefix) => writer(t, homePath, prefix, 20)));
  const ends = children.map((child) => once(child, 'exit'));
  for (const child of children) child.stdin?.write('go\n');
  for (const [code] of await Promise.all(ends)) assert.equal(code, 0);
  const written = store.entries('memory').map((entry) => entry.replace(/ x+$/, ''));
  const wanted = ['one', 'two'].flatMap((prefix) => Array.from({ length: 20 }, (_, index) => `${prefix} ${index}`));
  assert.deepEqual(written.toSorted(), wanted.toSorted());
  assert.deepEqual(temporary(), []);
});

test('kill -9 of four writers at once leaves whole files and holds up nobody', async (t) => {
  await surviveKills(t, 1);
});

test('a kill between the temporary file and the rename leaves the old text', async (t) => {
  const { folder, store, temporary } = place(t);
  mkdirSync(folder);
  writeFileSync(join(folder, 'MEMORY.md'), 'old');
  writeFileSync(join(folder, '.MEMORY.md.4711.tmp'), 'old\n§\nhalf a wor');
  assert.deepEqual(store.entries('memory'), ['old']);
  await store.change({ action: 'add', target: 'memory', content: 'new' });
  assert.equal(readFileSync(join(folder, 'MEMORY.md'), 'utf8'), 'old\n§\nnew');
  assert.deepEqual(temporary(), []);
});

test('whoever waits for another writer stops waiting when it is told to', async (t) => {
  const { folder, store } = place(t);
  const stop = new AbortController();
  const answer = await withFileLock(join(folder, 'MEMORY.md.lock'), async () => {
    const waiting = store.change({ action: 'add', target: 'memory', content: 'x' }, stop.signal);
    stop.abort();
    return await waiting;
  });
  assert.equal(answer.success, false);
  assert.deepEqual(store.entries('memory'), []);
});
