/** The routing index: one entry a chat, with all that others keep in it, and never one that leads nowhere. */
import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { RouteEntry } from '../../src/sessions/chat-routes.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { loadRoutes, origin, route } from './chat-support.ts';
import { execute, manualClock, query, temporaryDirectory, temporaryStore, user } from './support.ts';

const key = 'agent:main:telegram:dm:1';
test('entries read back as they were saved, others stay as they are', async (t) => {
  const { chatRoutes } = await temporaryStore(t);
  assert.deepEqual(await loadRoutes(chatRoutes), new Map());
  const other = route({ session_key: 'k2', session_id: 's2' });
  await Promise.all([chatRoutes.save([route()]), chatRoutes.save([other])]);
  const changed = route({ suspended: false, model_override: { model: 'm', provider: 'p', base_url: 'http://b' } });
  await chatRoutes.save([changed]);
  assert.deepEqual(
    await loadRoutes(chatRoutes),
    new Map([
      [key, changed],
      ['k2', other],
    ]),
  );
  await chatRoutes.save([route()]);
  assert.deepEqual((await loadRoutes(chatRoutes)).get(key), route(), 'what is left out is gone');
  await chatRoutes.remove([key, 'never there']);
  assert.deepEqual([...(await loadRoutes(chatRoutes)).keys()], ['k2']);
});

test('a key never gets onto the disk with the model of a chat', async (t) => {
  const store = await temporaryStore(t);
  const model_override = { model: 'm', api_key: 'sk-secret' };
  await store.chatRoutes.save([route({ model_override })]);
  assert.doesNotMatch(stored(store.path), /secret/);
  assert.deepEqual((await loadRoutes(store.chatRoutes)).get(key)?.model_override, { model: 'm' });
});

test('fields that this build does not know stay, whatever they are', async (t) => {
  const store = await temporaryStore(t);
  const names = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((name) => !(name in route()) && !reserved.has(name));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(names, fc.jsonValue(), { maxKeys: 5 }), async (unknown) => {
      put(store.path, scope(store.path), { ...route(), ...unknown });
      await store.chatRoutes.save([route({ session_id: 's9' })]);
      const expected = JSON.parse(JSON.stringify({ ...route({ session_id: 's9' }), ...unknown }));
      assert.deepEqual(JSON.parse(stored(store.path)), expected);
      assert.deepEqual((await loadRoutes(store.chatRoutes)).get(key), route({ session_id: 's9' }));
    }),
    { numRuns: 100 },
  );
});

test('entries of other folders stay untouched, and those that cannot be read stay where they are', async (t) => {
  const store = await temporaryStore(t);
  await store.chatRoutes.save([route()]);
  put(store.path, temporaryDirectory(t), { ...route(), session_key: 'theirs' });
  put(store.path, '', { ...route(), session_id: 'nobody' });
  for (const [name, change] of Object.entries({
    climbs: { session_id: '../x' },
    timeless: { created_at: 'yesterday' },
    numbered: { session_id: 7 },
  })) {
    put(store.path, scope(store.path), { ...route(), ...change, session_key: name });
  }
  execute(
    store.path,
    `INSERT INTO gateway_routing VALUES (${JSON.stringify(scope(store.path)).replaceAll('"', "'")}, 'broken', '{', 1)`,
  );
  assert.deepEqual(await loadRoutes(store.chatRoutes), new Map([[key, route()]]));
  await store.chatRoutes.remove([key]);
  assert.equal(query(store.path, 'SELECT 1 FROM gateway_routing').length, 6);
});

test('a folder that is reached through a link has the same entries', async (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'home', 'sessions'), { recursive: true });
  symlinkSync('home', join(directory, 'link'));
  const one = await temporaryStore(t, { path: join(directory, 'link', 'state.db') });
  await one.chatRoutes.save([route()]);
  assert.deepEqual(
    query(one.path, 'SELECT scope FROM gateway_routing').map((row) => row['scope']),
    [realpathSync(join(directory, 'home', 'sessions'))],
  );
  const other = await temporaryStore(t, { path: join(directory, 'home', 'state.db') });
  assert.equal((await loadRoutes(other.chatRoutes)).size, 1);
});

test('what only sessions.json has is taken over once, with all its fields', async (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'sessions'));
  const mirror = join(directory, 'sessions', 'sessions.json');
  const old = { session_id: 'old', created_at: '2025-01-01T00:00:00', updated_at: '2025-01-02T00:00:00' };
  const entries = {
    _README: 'for people',
    [key]: { ...old, session_key: key },
    k2: { ...old, session_key: 'k2', memory_flushed: true, suspended: 'yes', future: [1] },
    k3: { ...old, session_id: '/etc/passwd' },
    k4: true,
  };
  writeFileSync(mirror, JSON.stringify(entries));
  const store = await temporaryStore(t, { path: join(directory, 'state.db') });
  await store.chatRoutes.save([route()]);
  const loaded = await loadRoutes(store.chatRoutes);
  assert.deepEqual([...loaded.keys()], [key, 'k2']);
  assert.equal(loaded.get(key)?.session_id, 's1', 'the table counts');
  const taken = loaded.get('k2');
  assert.deepEqual(
    [taken?.session_id, taken?.expiry_finalized, taken?.suspended, taken?.chat_type, taken?.cost_status],
    ['old', true, false, 'dm', 'unknown'],
  );
  assert.ok(taken);
  await store.chatRoutes.save([taken]);
  assert.match(stored(store.path, 'k2'), /"future":\[1\]/);
  assert.doesNotMatch(stored(store.path, 'k2'), /memory_flushed/);
  await store.chatRoutes.remove(['k2']);
  const later = await temporaryStore(t, { path: store.path });
  assert.deepEqual([...(await loadRoutes(later.chatRoutes)).keys()], [key], 'what was removed does not come back');
});

test('a home that was moved keeps its chats; what belongs to another home that is there stays with that', async (t) => {
  const elsewhere = temporaryDirectory(t);
  const store = await temporaryStore(t);
  put(store.path, elsewhere, route({ session_key: 'theirs' }));
  put(store.path, '/home/before/.hermes/sessions', route({ session_id: 'moved' }));
  put(store.path, '', route({ session_key: 'nobody' }));
  assert.deepEqual(await loadRoutes(store.chatRoutes), new Map([[key, route({ session_id: 'moved' })]]));
  await store.chatRoutes.remove([key]);
  assert.equal((await loadRoutes(store.chatRoutes)).size, 0, 'it is taken over once');
});

test('a file that is no index is no reason not to start', async (t) => {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'sessions'));
  writeFileSync(join(directory, 'sessions', 'sessions.json'), '{"k": {"session_id": "s",');
  const store = await temporaryStore(t, { path: join(directory, 'state.db') });
  assert.deepEqual(await loadRoutes(store.chatRoutes), new Map());
});

test('a chat whose session has ended goes on in its newest session with messages', async (t) => {
  const clock = manualClock();
  const store = await temporaryStore(t, { clock });
  await chatSession(store, 's1', { ended: 'compression' });
  for (const [id, ended] of [
    ['s2', 'session_reset'],
    ['s3', ''],
    ['s4', 'agent_close'],
  ] as const) {
    clock.advance(1000);
    await chatSession(store, id, { ended });
  }
  clock.advance(1000);
  await chatSession(store, 'empty', { messages: 0 });
  await chatSession(store, 'theirs', { sessionKey: 'agent:main:telegram:dm:2' });
  await chatSession(store, 'elsewhere', { source: 'discord' });
  const before = route({ model_override: { model: 'm' } });
  put(store.path, scope(store.path), { ...before, future: 1 });
  const entry = (await loadRoutes(store.chatRoutes)).get(key);
  assert.equal(entry?.session_id, 's4');
  assert.deepEqual(
    [
      entry.origin,
      entry.model_override,
      entry.total_tokens,
      entry.suspended,
      entry.resume_pending,
      entry.resume_reason,
    ],
    [origin, { model: 'm' }, 0, false, false, null],
  );
  assert.match(entry.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:03\.000000$/);
  assert.equal((await store.sessions.get('s4'))?.end_reason, null, 'it is open again');
  assert.match(stored(store.path), /"future":1/);
  assert.deepEqual((await loadRoutes(store.chatRoutes)).get(key), entry);
});

test('a session that was ended by mistake is opened again, and its entry stays as it is', async (t) => {
  const store = await temporaryStore(t);
  await chatSession(store, 's1', { ended: 'ws_orphan_reap' });
  await store.chatRoutes.save([route()]);
  assert.deepEqual((await loadRoutes(store.chatRoutes)).get(key), route());
  assert.equal((await store.sessions.get('s1'))?.ended_at, null);
});

test('a chat with no session that goes on begins anew; one whose session nobody knows goes on', async (t) => {
  const store = await temporaryStore(t);
  for (const id of ['s1', 's2']) await chatSession(store, id, { ended: 'session_reset' });
  const placeless: RouteEntry = { ...route({ session_key: 'k2', session_id: 's2' }) };
  const { origin: _origin, ...withoutOrigin } = placeless;
  await store.chatRoutes.save([route(), withoutOrigin, route({ session_key: 'k3', session_id: 'unknown' })]);
  assert.deepEqual([...(await loadRoutes(store.chatRoutes)).keys()], ['k3']);
});

test('a session without a key is found by its chat, but never one of another person or profile', async (t) => {
  const store = await temporaryStore(t);
  await chatSession(store, 's1', { ended: 'compression' });
  await chatSession(store, 'other person', { sessionKey: null, userId: 'u2' });
  await chatSession(store, 'other profile', { sessionKey: 'agent:work:telegram:dm:1' });
  await store.chatRoutes.save([route()]);
  assert.equal((await loadRoutes(store.chatRoutes)).size, 0);
  await chatSession(store, 'same', { sessionKey: null });
  execute(store.path, "UPDATE sessions SET started_at = started_at + 10 WHERE id = 'same'");
  await store.chatRoutes.save([route()]);
  assert.equal((await loadRoutes(store.chatRoutes)).get(key)?.session_id, 'same');
});

test('a deleted session takes its entry and what was sent along, and nothing of other chats', async (t) => {
  const store = await temporaryStore(t);
  const { chatRoutes, outbox, maintenance } = store;
  await chatSession(store, 's1', {});
  await chatSession(store, 'older', { ended: 'session_reset' });
  await chatRoutes.save([route(), route({ session_key: 'k2', session_id: 'x' })]);
  const reply = { platform: 'telegram', chatId: '1', threadId: null, content: 'hello', details: '{}' };
  await outbox.add({ ...reply, id: 'sent', sessionKey: key });
  await outbox.delivered('sent');
  await outbox.add({ ...reply, id: 'open', sessionKey: key });
  await outbox.add({ ...reply, id: 'other', sessionKey: 'k2' });
  await outbox.delivered('other');
  await maintenance.deleteSession('older');
  assert.equal((await loadRoutes(chatRoutes)).size, 2, 'the chat goes on in a newer session');
  await maintenance.deleteSession('s1');
  assert.deepEqual([...(await loadRoutes(chatRoutes)).keys()], ['k2']);
  assert.equal(await outbox.get('sent'), undefined);
  assert.ok((await outbox.get('open')) !== undefined && (await outbox.get('other')) !== undefined);
});

const reserved = new Set(['memory_flushed', 'model_override', 'origin']);

interface ChatSession {
  readonly sessionKey?: string | null;
  readonly source?: string;
  readonly userId?: string;
  readonly ended?: string;
  readonly messages?: number;
}

/** A session as the gateway of the original leaves it. */
async function chatSession(
  store: SessionStore & { path: string },
  id: string,
  { sessionKey = key, source = 'telegram', userId = 'u1', ended = '', messages = 1 }: ChatSession,
): Promise<void> {
  await store.sessions.create({ id, source });
  for (let count = 0; count < messages; count += 1) await store.messages.append(id, user('hello'));
  query(
    store.path,
    `UPDATE sessions SET session_key = ?, user_id = ?, chat_id = '1', chat_type = 'dm', ended_at = ?, end_reason = ?
       WHERE id = ? RETURNING id`,
    sessionKey,
    userId,
    ended === '' ? null : 1,
    ended === '' ? null : ended,
    id,
  );
}

function scope(path: string): string {
  return join(realpathSync(join(path, '..')), 'sessions');
}

function put(path: string, folder: string, entry: RouteEntry | Readonly<Record<string, unknown>>): void {
  query(
    path,
    'INSERT OR REPLACE INTO gateway_routing VALUES (?, ?, ?, 1) RETURNING scope',
    folder,
    String(entry['session_key']),
    JSON.stringify(entry),
  );
}

function stored(path: string, sessionKey = key): string {
  const [row] = query(path, 'SELECT entry_json FROM gateway_routing WHERE session_key = ?', sessionKey);
  return String(row?.['entry_json']);
}
