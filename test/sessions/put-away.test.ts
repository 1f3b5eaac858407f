/** What a compaction puts away, what is taken back, and what is archived: kept, but not everywhere seen. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { textOf } from '../../src/llm/message.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { call, collect, day, manualClock, query, temporaryStore, user } from './support.ts';

const summary = { messages: [user('summary of the walrus'), user('newest')], systemPrompt: 'new prompt' };

test('a compaction in place keeps the session, puts its messages away, and they can still be found', async (t) => {
  const store = await talked(t, ['walrus question', 'old', 'newest']);
  await store.sessions.setTitle('s', 'T');
  await store.messages.compact('s', summary);
  assert.deepEqual(await texts(store), ['summary of the walrus', 'newest']);
  const row = await store.sessions.get('s');
  assert.deepEqual([row?.message_count, row?.title, row?.ended_at, row?.system_prompt], [2, 'T', null, 'new prompt']);
  const rows = query<{ n: number }>(
    store.path,
    'SELECT count(*) AS n FROM messages WHERE active = 0 AND compacted = 1',
  );
  assert.equal(rows[0]?.n, 3);
  const found = async (request: object = {}) => {
    const hits = await store.search.messages({ query: 'walrus OR newest', ...request });
    return hits.map(({ snippet }) => snippet.replaceAll(/>>>|<<</g, '')).sort();
  };
  assert.deepEqual(await found(), ['newest', 'summary of the walrus', 'walrus question'], 'what stayed is found once');
  assert.deepEqual(await found({ knownSessions: ['s'] }), ['walrus question'], 'only what the conversation lost');
  const away = await store.messages.readAround({ sessionId: 's' }, { span: 5, putAway: true });
  assert.deepEqual(
    away?.around.map(({ message }) => textOf(message.content)),
    ['walrus question', 'old'],
  );
  assert.equal((await store.sessions.list())[0]?.preview, 'walrus question');
  await store.messages.append('s', user('after it'));
  assert.equal((await store.sessions.get('s'))?.message_count, 3);
  assert.equal(JSON.parse(await collect(store.maintenance.exportSession('s'))).messages.length, 3);
});

test('a compaction that fails half-way changes nothing', async (t) => {
  const store = await talked(t, ['one', 'two']);
  const broken = user('x');
  Object.defineProperty(broken, 'content', { get: () => assert.fail('no content') });
  await assert.rejects(store.messages.compact('s', { messages: [user('summary'), broken], systemPrompt: 'p' }));
  assert.deepEqual(await texts(store), ['one', 'two']);
  assert.equal((await store.sessions.get('s'))?.message_count, 2);
});

test('a compaction by somebody who lost the session is refused', async (t) => {
  const store = await talked(t, ['one']);
  const mine = await store.leases.take('s', 'me', { ttlMs: 60_000 });
  assert.ok(mine.granted);
  await store.leases.takeOver('s', 'you', { ttlMs: 60_000 });
  const { fence } = mine;
  await assert.rejects(store.messages.compact('s', summary, { fence }), UserError);
  await assert.rejects(store.messages.undoFrom('s', 1, { fence }), UserError);
  assert.deepEqual(await texts(store), ['one']);
});

test('what is taken back stays in the database, and nothing shows, finds, sends or exports it', async (t) => {
  const store = await talked(t, ['first', 'walrus']);
  await store.messages.append('s', call('terminal', {}));
  const [, second] = await store.messages.list('s');
  assert.equal(await store.messages.undoFrom('s', second?.id ?? 0), 2);
  assert.deepEqual(await texts(store), ['first']);
  assert.deepEqual(await store.search.messages({ query: 'walrus' }), []);
  assert.doesNotMatch(await collect(store.maintenance.exportSession('s')), /walrus/);
  assert.equal(await store.messages.readAround({ sessionId: 's', messageId: second?.id ?? 0 }, { span: 1 }), undefined);
  const row = await store.sessions.get('s');
  assert.deepEqual([row?.message_count, row?.tool_call_count, row?.rewind_count], [1, 0, 1]);
  const kept = query<{ active: number; compacted: number }>(
    store.path,
    "SELECT * FROM messages WHERE content = 'walrus'",
  );
  assert.deepEqual([kept[0]?.active, kept[0]?.compacted], [0, 0]);
  assert.equal(await store.messages.undoFrom('s', second?.id ?? 0), 0, 'once');
  assert.equal((await store.sessions.get('s'))?.rewind_count, 1);
  // A compaction afterwards does not bring it back to the search.
  await store.messages.compact('s', summary);
  assert.equal((await store.search.messages({ query: 'walrus' })).length, 1);
});

test('archived sessions are hidden with all of their conversation, unless they are asked for', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  await store.sessions.create({ id: 'a', source: 'cli' });
  clock.advance(1000);
  await store.sessions.createChild('a', { id: 'b', messages: [user('go on')], parentEndReason: 'compression' });
  await store.sessions.createChild('b', { id: 'branch', messages: [user('other')], parentEndReason: 'branched' });
  assert.equal(await store.maintenance.archive('b', true), 2);
  const shown = async (archived?: 'only' | 'also') =>
    (await store.sessions.list(archived === undefined ? {} : { archived })).map(({ id }) => id);
  assert.deepEqual(await shown(), ['branch']);
  assert.deepEqual(await shown('only'), ['b']);
  assert.deepEqual((await shown('also')).sort(), ['b', 'branch']);
  assert.equal(await store.maintenance.archive('a', false), 2);
  assert.equal(await store.maintenance.archive('nobody', true), 0);
  const [listed] = (await store.sessions.list()).filter(({ id }) => id === 'b');
  assert.equal(listed?.lineage_root_id, 'a', 'a conversation in two sessions counts once');
});

test('sessions are selected by what is known of them', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const at = clock.now() / 1000;
  const workspace = { cwd: '/work/shop/api', gitBranch: 'feature/Tax', gitRepoRoot: '/work/shop' };
  await store.sessions.create({ id: 'a', source: 'cli', model: 'Big-Sonnet', workspace });
  await store.messages.append('a', call('terminal', {}));
  await store.usage.add('a', {
    ...tokens,
    input_tokens: 70,
    output_tokens: 30,
    estimated_cost_usd: 0.5,
    billing_provider: 'p',
  });
  await store.sessions.setTitle('a', '100% Done');
  await store.sessions.end('a', 'user_exit');
  clock.advance(day);
  await store.sessions.create({ id: 'b', source: 'telegram', userId: 'u', workspace: { cwd: '/work/shopping' } });
  const selected = async (selection: object) => (await store.maintenance.select(selection)).map(({ id }) => id);
  assert.deepEqual(await selected({}), ['b', 'a']);
  for (const selection of [
    { startedBefore: at + 1 },
    { source: 'cli' },
    { title: '0% d' },
    { endReason: 'user_exit' },
    { cwd: '/work/shop' },
    { cwd: '/work/shop/api/' },
    { model: 'sonnet' },
    { provider: 'P' },
    { branch: 'tax' },
    { messages: { min: 1, max: 1 } },
    { tokens: { min: 100 } },
    { cost: { min: 0.5, max: 0.5 } },
    { toolCalls: { min: 1 } },
    { ended: true },
  ]) {
    assert.deepEqual(await selected(selection), ['a'], JSON.stringify(selection));
  }
  assert.deepEqual(await selected({ startedFrom: at + 1, userId: 'u', cost: { max: 0 } }), ['b']);
  assert.deepEqual(await selected({ source: 'cli', userId: 'u' }), []);
  assert.equal(await store.maintenance.prune({}), 1, 'only what has ended');
  assert.deepEqual(await selected({}), ['b']);
});

test('deleting a session takes the runs of its sub-agents and its files along, and leaves a branch', async (t) => {
  const store = await talked(t, ['x']);
  const modelConfig = { _delegate_from: 's' };
  await store.sessions.create({ id: 'run', source: 'subagent', parentSessionId: 's', modelConfig });
  await store.sessions.create({ id: 'deep', source: 'subagent', modelConfig: { _delegate_from: 'run' } });
  await store.sessions.createChild('s', { id: 'branch', messages: [user('y')], parentEndReason: 'branched' });
  const files = join(dirname(store.path), 'sessions');
  mkdirSync(files);
  const names = ['session_s.json', 's.jsonl', 'request_dump_s_20260101_1.json', 'request_dump_deep_1.json'];
  for (const name of [...names, 'session_branch.json', 'sessions.json']) writeFileSync(join(files, name), '{}');
  assert.deepEqual((await store.sessions.list()).map(({ id }) => id).sort(), ['branch', 's']);
  assert.equal(await store.maintenance.deleteSession('s'), true);
  assert.deepEqual(await store.maintenance.sessionIds(), ['branch']);
  assert.equal((await store.sessions.get('branch'))?.parent_session_id, null);
  for (const name of names) assert.ok(!existsSync(join(files, name)), name);
  assert.ok(existsSync(join(files, 'session_branch.json')) && existsSync(join(files, 'sessions.json')));
});

test('a file that cannot be removed does not keep a session from being deleted', async (t) => {
  const store = await talked(t, ['x']);
  mkdirSync(join(dirname(store.path), 'sessions', 'session_s.json'), { recursive: true });
  assert.equal(await store.maintenance.deleteSession('s'), true);
  assert.deepEqual(await store.maintenance.sessionIds(), []);
});

test('two conversations may not have one title, but one may take it from what it was compacted from', async (t) => {
  const store = await talked(t, ['x']);
  await store.sessions.setTitle('s', 'T');
  await store.sessions.createChild('s', { id: 'next', messages: [user('y')], parentEndReason: 'compression' });
  assert.equal(await store.sessions.setTitle('next', 'T'), 'T');
  assert.equal((await store.sessions.get('s'))?.title, null);
  await store.sessions.createChild('next', { id: 'branch', messages: [user('y')], parentEndReason: 'branched' });
  await assert.rejects(store.sessions.setTitle('branch', 'T'), /already in use by session next/);
});

const tokens = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  api_calls: 1,
};

async function talked(t: TestContext, said: readonly string[]) {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  for (const text of said) await store.messages.append('s', user(text));
  return store;
}

async function texts(store: SessionStore): Promise<string[]> {
  return (await store.messages.conversation('s')).map(({ content }) => textOf(content));
}
