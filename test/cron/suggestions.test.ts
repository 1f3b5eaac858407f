/** `cron/suggestions.json`: proposals wait, are decided on once, and a file of the original stays what it was. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { inputOf, type NewSuggestion } from '../../src/cron/suggestion.ts';
import { starterSuggestions } from '../../src/cron/starter-suggestions.ts';
import { SuggestionStore } from '../../src/cron/suggestion-store.ts';
import { noLog } from '../../src/lib/log.ts';
import { setUp } from './support.ts';

const golden = readFileSync(new URL('golden/suggestions-0.19.json', import.meta.url), 'utf8');

function openStore(t: TestContext) {
  const { homePath, clock, desk, warnings } = setUp(t);
  const log = { ...noLog, warning: (line: string) => void warnings.push(line) };
  const open = () => new SuggestionStore({ homePath, zone: 'UTC', log, now: () => clock.now });
  const path = join(homePath, 'cron', 'suggestions.json');
  return {
    homePath,
    desk,
    path,
    open,
    store: open(),
    put: (text: string) => {
      mkdirSync(join(homePath, 'cron'), { recursive: true });
      writeFileSync(path, text);
    },
    file: () => JSON.parse(readFileSync(path, 'utf8')),
  };
}

const tea: NewSuggestion = {
  title: 'Tea',
  description: 'Time for tea',
  source: 'usage',
  jobSpec: { prompt: 'Remind me of the tea', schedule: 'every 2h', name: 'Tea', deliver: 'origin' },
  dedupKey: 'usage:tea',
};

test('a proposal is written with the keys of the original in its order', async (t) => {
  const { store, file, path } = openStore(t);
  assert.equal(await store.add(tea), 'added');
  const { suggestions, ...rest } = file();
  assert.deepEqual(rest, { updated_at: '2026-07-20T10:30:00+00:00' });
  const [{ id, ...record }] = suggestions;
  assert.match(id, /^[0-9a-f]{12}$/);
  assert.deepEqual(Object.keys(suggestions[0]), Object.keys(JSON.parse(golden).suggestions[0]));
  assert.deepEqual(record, {
    title: 'Tea',
    description: 'Time for tea',
    source: 'usage',
    job_spec: tea.jobSpec,
    dedup_key: 'usage:tea',
    status: 'pending',
    created_at: '2026-07-20T10:30:00+00:00',
  });
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a file of the original is read, and a change touches the one record alone', async (t) => {
  const { store, put, file, desk } = openStore(t);
  const was = JSON.parse(golden);
  put(
    JSON.stringify({
      ...was,
      mine: true,
      suggestions: [{ ...was.suggestions[0], foo: 1 }, ...was.suggestions.slice(1)],
    }),
  );
  assert.deepEqual(
    store.pending().map(({ title }) => title),
    ['Water the plants', 'Run foo'],
  );
  const job = await store.accept('2', (found) => desk.create(inputOf(found), undefined));
  assert.deepEqual([job?.name, job?.skills, job?.deliver], ['blueprint:foo', ['foo'], 'origin']);
  const now = file();
  assert.equal(now.mine, true);
  assert.deepEqual(now.suggestions, [
    { ...was.suggestions[0], foo: 1 },
    { ...was.suggestions[1], status: 'accepted', resolved_at: '2026-07-20T10:30:00+00:00' },
    was.suggestions[2],
  ]);
});

test('what was accepted or dismissed is not offered again; what is cleared are the accepted ones alone', async (t) => {
  const { store, open } = openStore(t);
  await store.add(tea);
  await store.add({ ...tea, title: 'Cake', dedupKey: 'usage:cake' });
  assert.equal(await store.add(tea), 'known');
  assert.equal((await store.dismiss('TEA'))?.title, 'Tea');
  assert.equal(await store.accept('1', () => Promise.resolve('made')), 'made');
  assert.deepEqual(await Promise.all([open().add(tea), open().add({ ...tea, dedupKey: 'usage:cake' })]), [
    'known',
    'known',
  ]);
  assert.equal(await store.forgetAccepted(), 1);
  assert.equal(await open().add(tea), 'known');
});

test('no more than five wait', async (t) => {
  const { store } = openStore(t);
  const added = await Promise.all(Array.from({ length: 7 }, (_, at) => store.add({ ...tea, dedupKey: `usage:${at}` })));
  assert.deepEqual(added.toSorted(), ['added', 'added', 'added', 'added', 'added', 'full', 'full']);
  assert.equal(store.pending().length, 5);
  await store.dismiss('5');
  assert.equal(await store.add({ ...tea, dedupKey: 'usage:more' }), 'added');
});

test('two who accept the same proposal make one job, and one that cannot be made keeps waiting', async (t) => {
  const { store, open } = openStore(t);
  await store.add(tea);
  await assert.rejects(
    store.accept('1', () => Promise.reject(new Error('no room'))),
    /no room/,
  );
  let made = 0;
  const make = () => Promise.resolve((made += 1));
  const { id } = store.pending()[0] ?? { id: '' };
  assert.deepEqual((await Promise.all([store.accept(id, make), open().accept(id, make)])).toSorted(), [1, undefined]);
  assert.equal(made, 1);
});

test('a file that is none is kept aside before it is written anew', async (t) => {
  const { store, put, homePath } = openStore(t);
  put('{"suggestions": [');
  assert.deepEqual(store.pending(), []);
  assert.equal(await store.add(tea), 'added');
  const kept = readdirSync(join(homePath, 'cron')).find((name) => name.includes('corrupt'));
  assert.equal(readFileSync(join(homePath, 'cron', kept ?? ''), 'utf8'), '{"suggestions": [');
});

test('a proposal whose job cannot be read is refused in words', async (t) => {
  const { store, put } = openStore(t);
  put(JSON.stringify([{ id: 'a1', title: 'Odd', status: 'pending', job_spec: { prompt: 'x' } }, 'no record']));
  await assert.rejects(
    store.accept('1', (found) => Promise.resolve(inputOf(found))),
    /'Odd' cannot be scheduled/,
  );
});

test('the catalogue has the four of the original, and every one of them can be scheduled', async (t) => {
  const { store, desk } = openStore(t);
  for (const suggestion of starterSuggestions()) await store.add(suggestion);
  assert.deepEqual(
    store.pending().map(({ dedup_key: key, job_spec: spec }) => [key, spec['schedule']]),
    [
      ['catalog:daily-briefing', '0 8 * * *'],
      ['catalog:important-mail-monitor', '*/30 * * * *'],
      ['catalog:weekly-review', '0 18 * * 0'],
      ['catalog:standup-reminder', '0 9 * * 1-5'],
    ],
  );
  const made = ['1', '1', '1', '1'].map(
    (first) => () => store.accept(first, (found) => desk.create(inputOf(found), undefined)),
  );
  for (const make of made) assert.ok((await make())?.next_run_at);
});
