/** Writes that wait for a person: kept as files, known by their names, and bounded. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as z from 'zod';
import { PendingRecords } from '../../src/lib/pending-records.ts';

function setUp(t: TestContext) {
  const homePath = mkdtempSync(join(tmpdir(), 'hermes-pending-'));
  t.after(() => rmSync(homePath, { recursive: true, force: true }));
  const clock = { now: Date.UTC(2026, 0, 1) };
  const folder = join(homePath, 'pending', 'memory');
  const open = () =>
    new PendingRecords({
      homePath,
      subsystem: 'memory',
      payload: z.object({ text: z.string() }),
      encode: (payload) => payload,
      origin: z.enum(['asked', 'unasked']).catch('unasked'),
      now: () => new Date(clock.now),
    });
  const put = (name: string, content: string): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), content);
  };
  return { open, clock, folder, put };
}

test('what was added outlives the process, readable by its owner alone, oldest first', (t) => {
  const { open, clock, folder } = setUp(t);
  const first = open().add({ text: 'one' }, 'asked', 'in short');
  clock.now -= 1_000;
  const older = open().add({ text: 'two' }, 'unasked');
  assert.deepEqual(open().list(), [older, first]);
  assert.deepEqual(open().find(first.id), first);
  assert.deepEqual(JSON.parse(readFileSync(join(folder, `${first.id}.json`), 'utf8')), {
    id: first.id,
    subsystem: 'memory',
    summary: 'in short',
    origin: 'asked',
    created_at: '2026-01-01T00:00:00.000Z',
    payload: { text: 'one' },
  });
  assert.equal(statSync(folder).mode & 0o777, 0o700);
});

test('a removed record is gone, and an unknown one was never there', (t) => {
  const { open, folder } = setUp(t);
  const records = open();
  assert.deepEqual([records.list(), records.remove('nobody')], [[], false]);
  const { id } = records.add({ text: 'one' }, 'asked');
  assert.deepEqual([records.remove(id), records.remove(id), readdirSync(folder)], [true, false, []]);
});

test('records of other programs are taken with what they have, by the name of their file', (t) => {
  const { open, put } = setUp(t);
  put('seconds.json', JSON.stringify({ id: 'other', created_at: 1_767_225_600.5, payload: { text: 'a' } }));
  put('bare.json', JSON.stringify({ origin: 'somebody', summary: 7, payload: { text: 'b' } }));
  assert.deepEqual(open().list(), [
    { id: 'bare', origin: 'unasked', summary: undefined, createdAt: '', payload: { text: 'b' } },
    {
      id: 'seconds',
      origin: 'unasked',
      summary: undefined,
      createdAt: '2026-01-01T00:00:00.500Z',
      payload: { text: 'a' },
    },
  ]);
});

test('what is no record is left out and left alone', (t) => {
  const { open, put, folder } = setUp(t);
  put('torn.json', '{"payload": {"te');
  put('other.json', JSON.stringify({ payload: { text: 1 } }));
  put('two words.json', JSON.stringify({ payload: { text: 'x' } }));
  put('huge.json', JSON.stringify({ payload: { text: 'x'.repeat(9 * 1024 * 1024) } }));
  mkdirSync(join(folder, 'folder.json'));
  const records = open();
  assert.deepEqual(records.list(), []);
  for (const id of ['torn', 'two words', 'huge', 'folder', '../memory/torn', '']) {
    assert.deepEqual([records.find(id), records.remove(id)], [undefined, false], id);
  }
  assert.equal(readdirSync(folder).length, 5);
});

test('the list is bounded, and says how to make room', (t) => {
  const { open, put } = setUp(t);
  for (let count = 0; count < 200; count += 1) put(`${count}.json`, '{}');
  assert.throws(() => open().add({ text: 'x' }, 'asked'), { name: 'UserError', hint: /\/memory pending/ });
});

test('a place that cannot be read is an error, not an empty list', (t) => {
  const { open, folder } = setUp(t);
  mkdirSync(join(folder, '..'), { recursive: true });
  writeFileSync(folder, 'a file');
  assert.throws(() => open().list(), /ENOTDIR/);
});
