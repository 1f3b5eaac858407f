/** Memory under several writers: processes that write at once, and processes that are killed while they write. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { withFileLock } from '../../src/lib/file-lock.ts';
import { createMemoryStore } from '../../src/memory/memory-store.ts';

const program = fileURLToPath(new URL('add-many.ts', import.meta.url));

function place(t: TestContext) {
  const homePath = mkdtempSync(join(tmpdir(), 'hermes-memory-'));
  t.after(() => rmSync(homePath, { recursive: true, force: true }));
  const store = createMemoryStore({
    homePath,
    limits: { memory: 1_000_000, user: 1_000_000 },
    enabled: { memory: true, user: true },
  });
  const folder = join(homePath, 'memories');
  const temporary = () => readdirSync(folder).filter((name) => name.endsWith('.tmp'));
  return { homePath, folder, store, temporary };
}

/** A process that is about to write. */
async function writer(t: TestContext, homePath: string, prefix: string, count: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program, homePath, prefix, `${count}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

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

test('kill -9 of twenty writers, some of them at once, leaves whole files and holds up nobody', async (t) => {
  const { homePath, store, temporary } = place(t);
  let known: readonly string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const children = await Promise.all(
      [0, 1, 2, 3].map((place) => writer(t, homePath, `writer-${round}-${place}`, 100_000)),
    );
    for (const child of children) child.stdin?.write('go\n');
    for (const child of children) {
      // The moment of a kill is what differs from one to the next.
      await sleep(5 + round);
      const end = once(child, 'exit');
      child.kill('SIGKILL');
      await end;
      const entries = store.entries('memory');
      const torn = entries.filter((entry) => !/^(?:writer-\d-\d \d+ x{200}|after \d)$/.test(entry));
      assert.deepEqual(torn, []);
      assert.deepEqual(entries.slice(0, known.length), known, 'what was written stays');
      known = entries;
    }
    const { success } = await store.change({ action: 'add', target: 'memory', content: `after ${round}` });
    assert.equal(success, true);
    assert.deepEqual(temporary(), [], 'what the killed ones left is gone');
    known = store.entries('memory');
  }
  assert.ok(known.length > 5, 'the writers wrote something');
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
