/** Sessions: rows, titles, lineage, listing, upkeep. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { autoPrune } from '../../src/sessions/auto-prune.ts';
import { newSessionId } from '../../src/sessions/session-id.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { openSqliteSessionStore } from '../../src/sessions/sqlite/open.ts';
import { tidyOnce } from '../../src/sessions/tidy-once.ts';
import { call, collect, day, manualClock, query, temporaryStore, user } from './support.ts';

/** Of one small request. */
const tokens = {
  input_tokens: 1,
  output_tokens: 1,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
};

test('an id is the local time and six hex digits', () => {
  const local = new Date(2026, 2, 4, 5, 6, 7);
  assert.match(newSessionId({ now: () => local.getTime() }), /^20260304_050607_[0-9a-f]{6}$/);
});

test('creating a session twice keeps the first row', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({
    id: 's',
    source: 'cli',
    model: 'm',
    modelConfig: { max_tokens: 5 },
    systemPrompt: 'p',
    userId: 'u',
  });
  await store.sessions.create({ id: 's', source: 'telegram' });
  const row = await store.sessions.get('s');
  assert.deepEqual(
    [row?.source, row?.model, row?.model_config, row?.system_prompt, row?.user_id, row?.ended_at],
    ['cli', 'm', '{"max_tokens":5}', 'p', 'u', null],
  );
});

test('a parent that does not exist is left out instead of losing the session', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli', parentSessionId: 'gone' });
  assert.equal((await store.sessions.get('s'))?.parent_session_id, null);
});

test('usage adds up; model and billing keep the first value, cost status takes the newest', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  const tokens = {
    input_tokens: 1,
    output_tokens: 2,
    cache_read_tokens: 3,
    cache_write_tokens: 4,
    reasoning_tokens: 5,
  };
  await store.usage.add('s', { ...tokens, api_calls: 1, model: 'a', billing_provider: 'p1', cost_status: 'unknown' });
  await store.usage.add('s', {
    ...tokens,
    api_calls: 1,
    model: 'b',
    billing_provider: 'p2',
    cost_status: 'estimated',
    estimated_cost_usd: 0.5,
  });
  await store.usage.add('s', { ...tokens, api_calls: 1, estimated_cost_usd: 0.25 });
  const row = await store.sessions.get('s');
  assert.deepEqual(
    [
      row?.input_tokens,
      row?.output_tokens,
      row?.cache_read_tokens,
      row?.cache_write_tokens,
      row?.reasoning_tokens,
      row?.api_call_count,
    ],
    [3, 6, 9, 12, 15, 3],
  );
  assert.deepEqual(
    [row?.model, row?.billing_provider, row?.cost_status, row?.estimated_cost_usd],
    ['a', 'p1', 'estimated', 0.75],
  );
});

test('the first request that is answered says which model and provider a session has', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli', model: 'wanted' });
  const asked = (model: string, task?: string) =>
    store.usage.add('s', {
      ...tokens,
      api_calls: 1,
      model,
      billing_provider: `provider of ${model}`,
      billing_base_url: `https://${model}.example`,
      ...(task === undefined ? {} : { task }),
    });
  await asked('titles', 'title_generation');
  assert.equal((await store.sessions.get('s'))?.model, 'wanted');
  await asked('fallback');
  await asked('wanted');
  const row = await store.sessions.get('s');
  assert.deepEqual(
    [row?.model, row?.billing_provider, row?.billing_base_url, row?.api_call_count],
    ['fallback', 'provider of fallback', 'https://fallback.example', 2],
  );
});

test('the first end reason stays until the session is reopened', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.sessions.end('s', 'compression');
  await store.sessions.end('s', 'user_exit');
  assert.equal((await store.sessions.get('s'))?.end_reason, 'compression');
  await store.sessions.reopen('s');
  assert.deepEqual(
    [(await store.sessions.get('s'))?.ended_at, (await store.sessions.get('s'))?.end_reason],
    [null, null],
  );
});

test('the system prompt comes back byte for byte', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  const prompt = 'line\r\n\ttab ünïcode 🚀  \n';
  await store.sessions.setSystemPrompt('s', prompt);
  assert.equal((await store.sessions.get('s'))?.system_prompt, prompt);
});

test('titles are cleaned, bounded and unique', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 'one', source: 'cli' });
  await store.sessions.create({ id: 'two', source: 'cli' });
  assert.equal(await store.sessions.setTitle('one', 'a\u200Bb\n c'), 'ab c');
  assert.equal(await store.sessions.setTitle('one', ' ab\tc '), 'ab c', 'a session may set its own title again');
  await assert.rejects(store.sessions.setTitle('two', 'ab c'), (error: unknown) => {
    assert.ok(error instanceof UserError);
    assert.match(error.message, /one/);
    return true;
  });
  await assert.rejects(store.sessions.setTitle('two', 'x'.repeat(101)), /101 characters, at most 100/);
  await assert.rejects(store.sessions.setTitle('two', '🚀'.repeat(101)), /101 characters, at most 100/);
  assert.equal(await store.sessions.setTitle('two', '🚀'.repeat(100)), '🚀'.repeat(100), 'an emoji is one character');
  assert.equal(await store.sessions.setTitle('two', 'AB C'), 'AB C', 'case matters');
  assert.equal(await store.sessions.setTitle('two', '\u200B \u0007'), null);
  assert.equal((await store.sessions.get('two'))?.title, null);
  await assert.rejects(store.sessions.setTitle('nobody', 'x'), /Session 'nobody' not found/);
});

test('the next title of a lineage is one above the highest, and a title means its newest session', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const free = async (title: string): Promise<string | null> => {
    await store.sessions.create({ id: 'unnamed', source: 'cli' });
    const given = await store.sessions.giveTitle('unnamed', title);
    assert.equal(await store.sessions.giveTitle('unnamed', 'other'), null, 'a session keeps the title that it has');
    await store.maintenance.deleteSession('unnamed');
    return given;
  };
  assert.equal(await free('x'), 'x');
  for (const title of ['x', 'x #2', 'x #3', 'x_y', '100%', 'x #9b', 'x #8 #5', 'X #7', 'x $6']) {
    await store.sessions.create({ id: `id of ${title}`, source: 'cli' });
    await store.sessions.setTitle(`id of ${title}`, title);
    clock.advance(1000);
  }
  assert.equal(await free('x'), 'x #4');
  assert.equal(await free('x #2'), 'x #4');
  assert.equal(await free('100%'), '100% #2');
  assert.equal(await free('x%'), 'x%', 'wildcards mean themselves');
  assert.equal((await store.sessions.resolve('x'))?.title, 'x #3');
  assert.equal((await store.sessions.resolve('x #2'))?.title, 'x #2');
  assert.equal((await store.sessions.resolve('x_y'))?.title, 'x_y');
});

test('titles that are given again and again are numbered on, whatever was renamed, deleted or given elsewhere between', async (t) => {
  const store = await temporaryStore(t);
  const other = await openSqliteSessionStore(store.path);
  t.after(() => other.close());
  let sessions = 0;
  const give = async (by: SessionStore = store): Promise<readonly [id: string, title: string | null]> => {
    const id = `s${(sessions += 1)}`;
    await by.sessions.create({ id, source: 'cli' });
    return [id, await by.sessions.giveTitle(id, 'x')];
  };
  const titles = async (count: number): Promise<(string | null)[]> => {
    const given = [];
    for (let number = 0; number < count; number += 1) given.push((await give())[1]);
    return given;
  };
  assert.deepEqual(await titles(4), ['x', 'x #2', 'x #3', 'x #4']);
  await store.sessions.setTitle('s1', 'x #20');
  assert.deepEqual(await titles(2), ['x #21', 'x #22']);
  await store.maintenance.deleteSession('s6');
  assert.deepEqual(await titles(2), ['x #22', 'x #23']);
  assert.equal((await give(other))[1], 'x #24');
  assert.deepEqual(await titles(2), ['x #25', 'x #26'], 'no title is given twice');
});

test('the list is newest first, with previews and without tool sessions', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  await store.sessions.create({ id: 'old', source: 'cli' });
  await store.messages.append('old', call('ls', {}));
  await store.messages.append('old', user('first\nline 🚀 '.padEnd(80, 'x')));
  clock.advance(5000);
  await store.messages.append('old', user('later'));
  await store.sessions.create({ id: 'new', source: 'telegram' });
  await store.sessions.create({ id: 'hidden', source: 'tool' });
  const list = await store.sessions.list();
  assert.deepEqual(
    list.map((row) => row.id),
    ['new', 'old'],
  );
  assert.equal(list[1]?.preview, `first line 🚀 ${'x'.repeat(47)}...`);
  assert.equal(list[1]?.last_active, clock.now() / 1000);
  assert.deepEqual([list[0]?.preview, list[0]?.last_active], ['', list[0]?.started_at]);
  assert.deepEqual(
    (await store.sessions.list({ source: 'tool' })).map((row) => row.id),
    ['hidden'],
  );
  assert.deepEqual(
    (await store.sessions.list({ excludeSources: ['telegram'] })).map((row) => row.id),
    ['hidden', 'old'],
  );
  assert.deepEqual(
    (await store.sessions.list({ limit: 1, offset: 1 })).map((row) => row.id),
    ['old'],
  );
});

test('the latest session is the one in which something was said last, wherever its conversation went on', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  for (const id of ['first', 'second', 'third']) {
    await store.sessions.create({ id, source: 'cli' });
    await store.messages.append(id, user(id));
    clock.advance(1000);
  }
  assert.equal((await store.sessions.latest('cli'))?.id, 'third');
  await store.messages.append('second', user('and once more'));
  assert.equal((await store.sessions.latest('cli'))?.id, 'second');
  clock.advance(1000);
  await store.sessions.createChild('first', { id: 'on', messages: [user('x')], parentEndReason: 'compression' });
  assert.equal((await store.sessions.latest('cli'))?.id, 'on');
  assert.deepEqual(
    (await store.sessions.list({ order: 'active' })).map(({ id }) => id),
    ['on', 'second', 'third'],
  );
  assert.deepEqual(
    (await store.sessions.list()).map(({ id }) => id),
    ['third', 'second', 'on'],
  );
  assert.equal(await store.sessions.latest('signal'), undefined);
});

test('a deleted session takes its messages with it and leaves its children', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 'p', source: 'cli' });
  await store.messages.append('p', user('needle'));
  await store.sessions.create({ id: 'c', source: 'cli', parentSessionId: 'p' });
  assert.equal(await store.maintenance.deleteSession('p'), true);
  assert.equal(await store.maintenance.deleteSession('p'), false);
  assert.deepEqual(
    (await store.sessions.list()).map((row) => [row.id, row.parent_session_id]),
    [['c', null]],
  );
  assert.deepEqual(await store.search.messages({ query: 'needle' }), []);
});

test('pruning takes old sessions that have ended, and nothing else', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  for (let index = 0; index < 120; index += 1) {
    await store.sessions.create({ id: `old${index}`, source: index < 5 ? 'telegram' : 'cli' });
    await store.sessions.end(`old${index}`, 'user_exit');
  }
  await store.sessions.create({ id: 'open', source: 'cli' });
  clock.advance(40 * day);
  await store.sessions.create({ id: 'recent', source: 'cli' });
  await store.sessions.end('recent', 'user_exit');
  const startedBefore = clock.now() / 1000 - 30 * 86_400;
  assert.equal(await store.maintenance.prune({ startedBefore, source: 'telegram' }), 5);
  assert.equal(await store.maintenance.prune({ startedBefore }), 115);
  assert.deepEqual((await store.maintenance.sessionIds()).sort(), ['open', 'recent']);
});

test('automatic pruning runs when enabled, once per interval, for all who share the store', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const options = { enabled: true, retentionDays: 90, vacuumAfterPrune: true, minIntervalHours: 24 };
  const endOne = async (id: string): Promise<void> => {
    await store.sessions.create({ id, source: 'cli' });
    await store.sessions.end(id, 'user_exit');
    clock.advance(91 * day);
  };
  await endOne('a');
  assert.equal(await autoPrune(store, { ...options, enabled: false }, clock), 0);
  assert.equal(await autoPrune(store, options, clock), 1);
  await store.sessions.create({ id: 'b', source: 'cli' });
  await store.sessions.end('b', 'user_exit');
  query(store.path, 'UPDATE sessions SET started_at = 0');
  clock.advance(day - 1);
  assert.equal(await autoPrune(store, options, clock), 0, 'not yet');
  clock.advance(1);
  assert.equal(await autoPrune(store, options, clock), 1);
});

test('what older programs left behind goes once: empty sessions, and continuations that nobody went on with', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  for (const [id, source] of [
    ['ghost', 'tui'],
    ['open', 'tui'],
    ['named', 'tui'],
    ['said', 'tui'],
    ['cli', 'cli'],
  ] as const) {
    await store.sessions.create({ id, source });
    if (id !== 'open') await store.sessions.end(id, 'tui_close');
  }
  await store.sessions.setTitle('named', 'T');
  await store.messages.append('said', user('x'));
  for (const id of ['p', 'q']) {
    await store.sessions.create({ id, source: 'cli' });
    await store.sessions.createChild(id, { id: `after ${id}`, messages: [user('x')], parentEndReason: 'compression' });
  }
  await store.usage.add('after q', { ...tokens, api_calls: 1 });
  clock.advance(8 * day);
  await store.sessions.create({ id: 'young', source: 'tui' });
  await store.sessions.end('young', 'tui_close');
  await tidyOnce(store);
  assert.equal(await store.sessions.get('ghost'), undefined);
  for (const id of ['open', 'named', 'said', 'cli', 'young']) assert.ok(await store.sessions.get(id), id);
  assert.equal((await store.sessions.get('after p'))?.end_reason, 'orphaned_compression');
  assert.equal((await store.sessions.get('after q'))?.end_reason, null);
  clock.advance(8 * day);
  await tidyOnce(store);
  assert.ok(await store.sessions.get('young'), 'it is done once');
  assert.deepEqual(
    [await store.meta.get('ghost_session_prune_v1'), await store.meta.get('orphaned_compression_finalize_v1')],
    ['1', '1'],
  );
});

test('deleted rows give their space back when the store is compacted', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  for (let index = 0; index < 50; index += 1) await store.messages.append('s', user(`${index} `.repeat(5000)));
  const before = (await store.maintenance.stats()).sizeBytes;
  await store.maintenance.deleteSession('s');
  await store.maintenance.vacuum();
  assert.ok((await store.maintenance.stats()).sizeBytes < before / 4);
  assert.deepEqual(await store.maintenance.checkIntegrity(), []);
});

test('figures and meta values', async (t) => {
  const store = await temporaryStore(t);
  for (const [id, source] of [
    ['a', 'cli'],
    ['b', 'cli'],
    ['c', 'tool'],
  ] as const)
    await store.sessions.create({ id, source });
  await store.messages.append('a', user('x'));
  const stats = await store.maintenance.stats();
  assert.deepEqual([stats.sessions, stats.messages, stats.bySource], [3, 1, { cli: 2, tool: 1 }]);
  assert.ok(stats.sizeBytes > 4096);
  assert.equal(await store.meta.get('goal:a'), undefined);
  await store.meta.set('goal:a', '{}');
  await store.meta.set('goal:a', '{"x":1}');
  assert.equal(await store.meta.get('goal:a'), '{"x":1}');
});

test('an exported session is one line with all columns and its messages', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli', systemPrompt: 'p' });
  query(store.path, "ALTER TABLE sessions ADD COLUMN from_the_future TEXT DEFAULT 'kept'");
  const texts = Array.from({ length: 250 }, (_, index) => `line ${index}\nmore`);
  await store.messages.rewrite('s', [
    ...texts.map(user),
    call('ls', { path: '.' }),
    { role: 'user', content: [{ type: 'text', text: 'part' }] },
  ]);
  const line = await collect(store.maintenance.exportSession('s'));
  assert.equal(line.indexOf('\n'), line.length - 1);
  const session = JSON.parse(line);
  assert.deepEqual([session.id, session.system_prompt, session.from_the_future], ['s', 'p', 'kept']);
  assert.deepEqual(
    session.messages.slice(0, 250).map((message: { content: string }) => message.content),
    texts,
  );
  assert.equal(session.messages[250].tool_calls[0].function.name, 'ls');
  assert.deepEqual(session.messages[251].content, [{ type: 'text', text: 'part' }]);
  assert.deepEqual(await collect(store.maintenance.exportSession('gone')), '');
});
