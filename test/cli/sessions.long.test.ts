/** `hermes sessions`: what is listed, selected, hidden, deleted and given back. */
import assert from 'node:assert/strict';
import { chmodSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { openSessionStore } from '../../src/sessions/open-store.ts';
import { execute } from '../sessions/support.ts';
import { hermes, linesOf, makePlace, type Place, type Run } from './hermes-process.ts';

const day = 86_400_000;

interface Made {
  readonly id: string;
  readonly daysAgo: number;
  readonly source?: string;
  readonly title?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly open?: true;
}

/** A home whose store holds these sessions, each with one question and one answer. */
async function placeWith(t: TestContext, sessions: readonly Made[]): Promise<Place> {
  const place = makePlace(t);
  for (const { id, daysAgo, source = 'cli', title, model = 'test-model', cwd, open } of sessions) {
    const at = Date.now() - daysAgo * day;
    const clock = { now: () => at };
    const store = await openSessionStore({ kind: 'sqlite', path: join(place.home, 'state.db') }, { clock });
    await store.sessions.create({ id, source, model, ...(cwd === undefined ? {} : { workspace: { cwd } }) });
    await store.messages.append(id, { role: 'user', content: `question of ${id}` });
    await store.messages.append(id, { role: 'assistant', content: 'answer' });
    if (title !== undefined) await store.sessions.setTitle(id, title);
    if (open !== true) await store.sessions.end(id, 'cli_close');
    await store.close();
  }
  return place;
}

const run = (place: Place, ...args: string[]): Promise<Run> => hermes(place, ['sessions', ...args]);

async function listed(place: Place, ...args: string[]): Promise<string[]> {
  const { stdout } = await run(place, 'list', ...args);
  return linesOf(stdout)
    .slice(2)
    .map((line) => line.split(' ').at(-1) ?? '');
}

suite('hermes sessions', { concurrency: 2 }, () => {
  test('list: --limit 0 shows all, --workspace those of a folder', async (t) => {
    const place = await placeWith(
      t,
      Array.from({ length: 22 }, (_, n) => ({ id: `s${n}`, daysAgo: n, cwd: n === 3 ? '/work/Shop' : '/elsewhere' })),
    );
    assert.equal((await listed(place)).length, 20);
    assert.equal((await listed(place, '--limit', '0')).length, 22);
    assert.deepEqual(await listed(place, '--workspace', 'shop'), ['s3']);
    assert.match((await run(place, 'list', '--workspace', 'nowhere')).stdout, /^No sessions found\.\n$/);
  });

  test('prune: by age unless a filter says otherwise, never what has not ended, and --dry-run changes nothing', async (t) => {
    const place = await placeWith(t, [
      { id: 'old', daysAgo: 120, title: 'Long ago' },
      { id: 'running', daysAgo: 120, open: true },
      { id: 'week', daysAgo: 7, source: 'telegram' },
      { id: 'today', daysAgo: 0 },
    ]);
    const dry = await run(place, 'prune', '--dry-run');
    assert.match(dry.stdout, /^1 session\(s\) match .*\n {2}old .*Long ago\nDry run: nothing was deleted\.\n$/);
    assert.match((await run(place, 'prune')).stdout, /Cancelled\.\n$/);
    assert.equal((await listed(place)).length, 4);
    assert.match((await run(place, 'prune', '--newer-than', '2d', '--dry-run')).stdout, /\n {2}today/);
    assert.match((await run(place, 'prune', '--older-than', '5', '--source', 'telegram', '-y')).stdout, /Pruned 1 /);
    assert.match((await run(place, 'prune', '-y')).stdout, /Pruned 1 session\(s\)\.\n$/);
    assert.deepEqual(await listed(place), ['today', 'running']);
  });

  test('archive hides, --archived shows, unarchive brings back; without a filter nothing is archived', async (t) => {
    const place = await placeWith(t, [
      { id: 'a', daysAgo: 3, title: 'Draft one', model: 'big-model' },
      { id: 'b', daysAgo: 2 },
    ]);
    const refused = await run(place, 'archive', '-y');
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match((await run(place, 'archive', '--model', 'BIG', '-y')).stdout, /Archived 1 session\(s\)\./);
    assert.deepEqual(await listed(place), ['b']);
    assert.deepEqual(await listed(place, '--archived'), ['a']);
    assert.match((await run(place, 'prune', '--newer-than', '30d', '--dry-run')).stdout, /^1 session/);
    assert.match((await run(place, 'prune', '--newer-than', '30d', '--include-archived', '--dry-run')).stdout, /^2 /);
    assert.equal((await run(place, 'unarchive', 'a')).code, 0);
    assert.deepEqual(await listed(place), ['b', 'a']);
  });

  test('times that mean nothing and windows that hold nothing are refused', async (t) => {
    const place = await placeWith(t, [{ id: 'a', daysAgo: 1 }]);
    for (const [args, said] of [
      [['--before', 'nonsense'], /'nonsense' is no time/],
      [['--older-than', '5 fortnights'], /'5 fortnights' is no time/],
      [['--after', '2030-01-01', '--before', '2020-01-01'], /Empty time window/],
      [['--min-messages', 'x'], /whole number/],
    ] as const) {
      const { code, stderr } = await run(place, 'prune', ...args, '-y');
      assert.equal(code, 2, stderr);
      assert.match(stderr, said);
    }
    const spelled = await run(
      place,
      'prune',
      '--newer-than',
      '2 days',
      '--before',
      new Date().toISOString(),
      '--dry-run',
    );
    assert.match(spelled.stdout, /^1 session/);
    assert.deepEqual(await listed(place), ['a']);
  });

  test('optimize says what it gained, repair --check-only changes nothing, browse wants a terminal', async (t) => {
    const place = await placeWith(t, [{ id: 'a', daysAgo: 1 }]);
    assert.match((await run(place, 'optimize')).stdout, /^Database size: .* MB -> .* MB \(reclaimed .* MB\)\n$/);
    const checked = await run(place, 'repair', '--check-only');
    assert.deepEqual([checked.code, checked.stderr], [0, '']);
    assert.match(checked.stdout, /^✓ .*no repair needed/);
    const browsed = await run(place, 'browse');
    assert.deepEqual([browsed.code, browsed.stdout], [1, '']);
    assert.match(browsed.stderr, /needs a terminal/);
  });

  test('in a home that cannot be written list, show, search, export and stats read, and a change is refused', async (t) => {
    const place = await placeWith(t, [{ id: 'mine', daysAgo: 1, title: 'The walrus' }]);
    const all = [dirname(dirname(place.home)), dirname(place.home), place.work];
    for (const path of all) chmodSync(path, 0o755);
    const before = readdirSync(place.home);
    for (const file of before) if (file.startsWith('state.db')) chmodSync(join(place.home, file), 0o444);
    chmodSync(place.home, 0o555);
    // Root may write anywhere, so it runs as somebody else.
    const as = (...args: string[]) => hermes(place, ['sessions', ...args], { uid: 65_534 });
    const runs = [
      [['list'], /The walrus .*mine/],
      [['show', 'mine'], /question of mine/],
      [['search', 'question'], /mine/],
      [['export', '-'], /"id":"mine"/],
      [['stats'], /Total sessions: 1/],
    ] as const;
    const ends = await Promise.all(runs.map(async ([args, said]) => ({ said, ...(await as(...args)) })));
    const refused = await as('rename', 'mine', 'Other');
    chmodSync(place.home, 0o755);
    for (const { said, stdout, stderr, code } of ends) {
      assert.match(stdout, said, stderr);
      assert.deepEqual([stderr, code], ['', 0]);
    }
    assert.match(refused.stderr, /not accessible for writing/);
    assert.equal(refused.code, 1);
    assert.deepEqual(readdirSync(place.home), before);
  });

  test('a newer store that may not take what is written is read, with one word of it, and not changed', async (t) => {
    const place = await placeWith(t, [{ id: 'mine', daysAgo: 1 }]);
    const path = join(place.home, 'state.db');
    execute(path, 'ALTER TABLE messages DROP COLUMN reasoning; UPDATE schema_version SET version = 99');
    const list = await run(place, 'list');
    assert.match(list.stdout, /question of mine .*mine/);
    assert.match(list.stderr, /^\S+ has schema version 99, .* knows up to 22, .*opened for reading only\.\n$/);
    const refused = await run(place, 'rename', 'mine', 'Other');
    assert.match(refused.stderr, /Cannot open the session store: .*99.*22.*lacks messages\.reasoning/);
    assert.equal(refused.code, 1);
  });
});
