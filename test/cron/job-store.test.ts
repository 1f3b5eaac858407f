/** `cron/jobs.json`: what the original wrote is read, what is not known stays, and nothing is ever half written. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setUp } from './support.ts';

const golden = readFileSync(new URL('golden/jobs-0.19.json', import.meta.url), 'utf8');
const plain = { id: 'aaaaaaaaaaaa', name: 'a', prompt: 'p', schedule: { kind: 'interval', minutes: 5 } };

test('a file of the original is read, and a change touches the changed keys alone', async (t) => {
  const { store, put, records } = setUp(t);
  put('cron/jobs.json', golden);
  assert.deepEqual(
    store.list().map(({ id, schedule }) => [id, schedule.kind]),
    [
      ['6e6e181d9b6c', 'interval'],
      ['87810f725427', 'once'],
      ['fa3ed6a91619', 'cron'],
    ],
  );
  await store.change('fa3ed6a91619', () => ({ name: 'other' }));
  const was = JSON.parse(golden).jobs;
  assert.deepEqual(records(), [was[0], was[1], { ...was[2], name: 'other' }]);
  assert.deepEqual(Object.keys(records()[0]), Object.keys(was[0]));
});

test('a new record has the keys of the original in its order', async (t) => {
  const { desk, records, path } = setUp(t);
  const job = await desk.create({ schedule: 'every 2h', prompt: 'say x' }, undefined);
  const [record] = records();
  const [was] = JSON.parse(golden).jobs;
  assert.deepEqual(Object.keys(record), Object.keys(was));
  const { id, created_at: made, next_run_at: next, provider_snapshot: p, model_snapshot: m, ...rest } = record;
  assert.match(id, /^[0-9a-f]{12}$/);
  assert.equal(job.id, id);
  assert.deepEqual(
    [made, next, p, m],
    ['2026-07-20T10:30:00+00:00', '2026-07-20T12:30:00+00:00', 'openrouter', 'some/model'],
  );
  const { id: _id, created_at: _m, next_run_at: _n, provider_snapshot: _p, model_snapshot: _s, ...wasRest } = was;
  assert.deepEqual(rest, wasRest);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('an old record with one skill and a key nobody knows keeps both after a change', async (t) => {
  const { store, put, records } = setUp(t);
  put('cron/jobs.json', JSON.stringify({ jobs: [{ ...plain, skill: 'a', foo: { deep: 1 } }], mine: true }));
  assert.deepEqual(store.get(plain.id)?.skills, ['a']);
  await store.change(plain.id, () => ({ name: 'b' }));
  assert.deepEqual(records()[0], {
    ...plain,
    name: 'b',
    skill: 'a',
    skills: ['a'],
    foo: { deep: 1 },
  });
});

test('a list alone, a byte order mark and raw line ends are read, and written as they should be', async (t) => {
  const { store, put, text } = setUp(t);
  put('cron/jobs.json', `\uFEFF${JSON.stringify([{ ...plain, prompt: 'one\\ntwo' }]).replace(String.raw`\\n`, '\n')}`);
  assert.equal(store.get(plain.id)?.prompt, 'one\ntwo');
  await store.changeAll(() => undefined);
  assert.equal(JSON.parse(text()).jobs[0].prompt, 'one\ntwo');
});

test('a record without an id has the same one whenever it is read', (t) => {
  const { store, put } = setUp(t);
  const { id: _, ...rest } = plain;
  put('cron/jobs.json', JSON.stringify({ jobs: [rest, { ...rest, job_id: 'bbbbbbbbbbbb' }] }));
  const [first, second] = store.list();
  assert.match(first?.id ?? '', /^[0-9a-f]{12}$/);
  assert.deepEqual([store.list()[0]?.id, second?.id], [first?.id, 'bbbbbbbbbbbb']);
});

test('garbage is no jobs and a warning; it is kept aside before the first write', async (t) => {
  const { store, desk, put, text, warnings, homePath } = setUp(t);
  put('cron/jobs.json', '{"jobs": [{"id": "aaaa');
  assert.deepEqual(store.list(), []);
  assert.match(warnings[0] ?? '', /is not a list of jobs/);
  await store.changeAll(() => undefined);
  assert.equal(text(), '{"jobs": [{"id": "aaaa');
  await desk.create({ schedule: '30m', prompt: 'x' }, undefined);
  const aside = readdirSync(join(homePath, 'cron')).find((name) => name.startsWith('jobs.json.corrupt-')) ?? '';
  assert.equal(readFileSync(join(homePath, 'cron', aside), 'utf8'), '{"jobs": [{"id": "aaaa');
  assert.equal(store.list().length, 1);
});

test('a record that is none is left out and kept, the others are read', async (t) => {
  const { store, put, records, warnings } = setUp(t);
  put('cron/jobs.json', JSON.stringify({ jobs: [{ id: '../../etc', schedule: plain.schedule }, { id: 'x' }, plain] }));
  assert.deepEqual(
    store.list().map(({ id }) => id),
    [plain.id],
  );
  assert.equal(warnings.length, 2);
  await store.change(plain.id, () => ({ name: 'n' }));
  assert.equal(records().length, 3);
});

test('what another program wrote in between is not lost', async (t) => {
  const { store, put, path, records } = setUp(t);
  put('cron/jobs.json', JSON.stringify({ jobs: [plain] }));
  let tries = 0;
  await store.change(plain.id, () => {
    tries += 1;
    if (tries === 1) writeFileSync(path, JSON.stringify({ jobs: [plain, { ...plain, id: 'cccccccccccc' }] }));
    return { name: 'mine' };
  });
  assert.deepEqual([tries, records().length, records()[0].name], [2, 2, 'mine']);
});

test('changes that come at once all arrive', async (t) => {
  const { store, desk } = setUp(t);
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => desk.create({ schedule: '1h', prompt: name }, undefined)));
  assert.deepEqual(
    store
      .list()
      .map(({ prompt }) => prompt)
      .sort(),
    ['a', 'b', 'c', 'd'],
  );
});
