/** One process at a time continues a conversation, and whoever lost it writes no more. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { UserError } from '../../src/lib/errors.ts';
import type { HistoryMessage } from '../../src/llm/message.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { StoreTranscript } from '../../src/sessions/store-transcript.ts';
import { manualClock, query, temporaryStore, user } from './support.ts';

const program = fileURLToPath(new URL('hold-session.ts', import.meta.url));
const term = { ttlMs: 60_000 };

interface Holder {
  readonly child: ChildProcess;
  readonly lease: { granted: boolean; fence?: number; by?: { pid: number } };
  append(text: string): Promise<string>;
}

/** Another process that holds the session, or was refused. */
async function holder(t: TestContext, path: string): Promise<Holder> {
  const child = spawn(process.execPath, [program, path, 's'], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  const lease = JSON.parse(await next());
  return {
    child,
    lease,
    append(text) {
      child.stdin.write(`${text}\n`);
      return next();
    },
  };
}

async function fenceOf(store: SessionStore, name: string, id = 's'): Promise<number> {
  const taken = await store.leases.take(id, name, term);
  assert.ok(taken.granted);
  return taken.fence;
}

test('two processes: the second is told who holds the session, takes it over, and the first writes no more', async (t) => {
  const store = await temporaryStore(t);
  const other = await holder(t, store.path);
  assert.equal(other.lease.granted, true);
  assert.equal(await other.append('from the first'), 'stored');

  const refused = await store.leases.take('s', 'cli', term);
  assert.ok(!refused.granted);
  assert.deepEqual([refused.by.holder, refused.by.pid, refused.by.host], ['cli', other.child.pid, hostname()]);
  assert.ok(Math.abs(refused.by.since - Date.now() / 1000) < 60);

  const fence = await store.leases.takeOver('s', 'gateway', term);
  await store.messages.append('s', user('from the second'), { fence });
  assert.match(
    await other.append('too late'),
    new RegExp(`being continued elsewhere \\(gateway, process ${process.pid} on ${hostname()}, since 20`),
  );
  assert.deepEqual(await store.messages.conversation('s'), [user('from the first'), user('from the second')]);
  assert.equal((await store.sessions.get('s'))?.message_count, 2);
});

test('a session that another process continues does not end here; after it does', async (t) => {
  const store = await temporaryStore(t);
  const other = await holder(t, store.path);
  await other.append('still here');
  await store.sessions.end('s', 'cli_close');
  assert.equal((await store.sessions.get('s'))?.ended_at, null);
  other.child.kill('SIGKILL');
  await once(other.child, 'close');
  await store.sessions.end('s', 'cli_close');
  assert.equal((await store.sessions.get('s'))?.end_reason, 'cli_close');
});

test('of processes that ask at the same moment, one gets the session', async (t) => {
  const store = await temporaryStore(t);
  const all = await Promise.all([1, 2, 3].map(() => holder(t, store.path)));
  const granted = all.filter(({ lease }) => lease.granted);
  assert.equal(granted.length, 1);
  for (const { lease } of all) if (!lease.granted) assert.equal(lease.by?.pid, granted[0]?.child.pid);
});

test('a process that was killed holds nothing', async (t) => {
  const store = await temporaryStore(t);
  const other = await holder(t, store.path);
  other.child.kill('SIGKILL');
  await once(other.child, 'close');
  const taken = await store.leases.take('s', 'cli', term);
  assert.ok(taken.granted);
  assert.ok(taken.fence > (other.lease.fence ?? Number.POSITIVE_INFINITY));
});

test('a later process of the same id is not taken for the holder', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const store = await temporaryStore(t);
  await fenceOf(store, 'one');
  assert.equal((await store.leases.take('s', 'two', term)).granted, false);
  query(store.path, "UPDATE session_leases SET process_start = 'an earlier boot 1'");
  assert.equal((await store.leases.take('s', 'two', term)).granted, true);
});

test('nothing is known of a process of another machine, so its lease ends by time alone', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  await fenceOf(store, 'one');
  query(store.path, "UPDATE session_leases SET host = 'elsewhere', pid = 999999999");
  clock.advance(59_000);
  assert.equal((await store.leases.take('s', 'two', term)).granted, false);
  clock.advance(2000);
  assert.equal((await store.leases.take('s', 'two', term)).granted, true);
});

test('a lease can be renewed and given back only by its holder, and every new holder has a higher fence', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  const first = await fenceOf(store, 'one');
  assert.equal(await fenceOf(store, 'one'), first, 'the same holder keeps its own');
  clock.advance(50_000);
  assert.equal(await store.leases.renew('s', first, term), true);
  clock.advance(50_000);
  assert.equal((await store.leases.take('s', 'two', term)).granted, false, 'it was renewed');
  await store.leases.release('s', first);
  const second = await fenceOf(store, 'two');
  assert.ok(second > first);
  assert.equal(await store.leases.renew('s', first, term), false);
  await store.leases.release('s', first);
  assert.equal((await store.leases.take('s', 'three', term)).granted, false, 'a lost lease releases nothing');
  clock.advance(31 * 86_400_000);
  await fenceOf(store, 'one', 'another session');
  assert.equal(query(store.path, "SELECT 1 FROM session_leases WHERE session_id = 's'").length, 0, 'old ones go');
  assert.ok((await fenceOf(store, 'three')) > second, 'and a later fence is still higher');
});

test('every write of somebody who lost the session is refused, and nothing is written', async (t) => {
  const store = await temporaryStore(t);
  const transcript = new StoreTranscript({
    store,
    session: { id: 's', source: 'cli' },
    prompt: async () => 'p',
  });
  transcript.fence = await fenceOf(store, 'one');
  await transcript.append(user('mine'));
  await store.leases.takeOver('s', 'two', term);
  const before = query(store.path, 'SELECT * FROM sessions, messages');
  const isLost = (error: unknown): boolean =>
    error instanceof UserError && /continued elsewhere \(two/.test(error.message);
  await assert.rejects(transcript.append(user('x')), isLost);
  await assert.rejects(transcript.setAsideLast(), isLost);
  await assert.rejects(transcript.compact([user('x')]), isLost);
  assert.deepEqual(query(store.path, 'SELECT * FROM sessions, messages'), before);
});

test('who holds a session holds its continuation after a compaction', async (t) => {
  const store = await temporaryStore(t);
  const fence = await fenceOf(store, 'one');
  const session = { id: 's', source: 'cli' };
  const transcript = new StoreTranscript({ store, session, prompt: async () => 'p' });
  transcript.fence = fence;
  await transcript.append(user('x'));
  const { sessionId } = await transcript.compact([user('short')]);
  assert.equal((await store.leases.take(sessionId, 'two', term)).granted, false);
  assert.equal(await store.leases.renew(sessionId, fence, term), true);
  await transcript.append(user('goes on'));
  await store.leases.takeOver(sessionId, 'two', term);
  await assert.rejects(transcript.append(user('too late')), /continued elsewhere/);
});

test('two writers on one session leave every result readable beside its call', async (t) => {
  const one = await temporaryStore(t);
  const two = await temporaryStore(t, { path: one.path });
  await one.sessions.create({ id: 's', source: 'cli' });
  const batch = (name: string): HistoryMessage[] => {
    const ids = [1, 2, 3].map((number) => `${name}${number}`);
    const calls = ids.map((id) => ({ id, type: 'function' as const, function: { name: 'ls', arguments: '{}' } }));
    return [
      { role: 'assistant', content: null, tool_calls: calls },
      ...ids.map((id) => ({ role: 'tool' as const, tool_call_id: id, tool_name: 'ls', content: `of ${id}` })),
    ];
  };
  const [left, right] = [batch('a'), batch('b')];
  for (const [index, message] of left.entries()) {
    await one.messages.append('s', message);
    await two.messages.append('s', right[index] ?? user('never'));
  }
  const stored = await one.messages.conversation('s');
  assert.equal(stored.length, 8);
  const called = new Set<string>();
  for (const message of stored) {
    if (message.role === 'assistant') for (const { id } of message.tool_calls ?? []) called.add(id);
    if (message.role !== 'tool') continue;
    assert.ok(called.delete(message.tool_call_id), 'its call stands before it, once');
    assert.equal(message.content, `of ${message.tool_call_id}`);
  }
  assert.equal(called.size, 0);
});
