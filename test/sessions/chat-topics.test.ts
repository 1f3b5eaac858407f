/** Topics of a private chat and their sessions: written down with what they belong to, in the tables of the original. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import * as z from 'zod';
import type { RouteEntry } from '../../src/sessions/chat-routes.ts';
import type { SessionStore } from '../../src/sessions/session-store.ts';
import { loadRoutes, origin, route } from './chat-support.ts';
import { execute, query, temporaryStore, user } from './support.ts';

const chat = { chatId: '42', userId: '42' };
const said = { enabled: true, peopleMayCreate: true };

function keyOf(thread: string): string {
  return `agent:main:telegram:dm:42:${thread}`;
}

function topic(thread: string, sessionId: string): RouteEntry {
  const place = { ...origin, platform: 'telegram', chat_id: '42', chat_type: 'dm', user_id: '42', thread_id: thread };
  return { ...route({ session_key: keyOf(thread), session_id: sessionId }), chat_type: 'dm', origin: place };
}

async function stored(store: SessionStore, id: string, thread?: string): Promise<void> {
  const of = { chatId: '42', chatType: 'dm', displayName: null, origin: '{}' };
  const its = thread === undefined ? {} : { chat: { ...of, sessionKey: keyOf(thread), threadId: thread } };
  await store.sessions.create({ id, source: 'telegram', userId: '42', ...its });
}

async function sessionAt(store: SessionStore, thread: string): Promise<string | undefined> {
  return (await store.chatTopics.at('42', thread))?.sessionId;
}

async function openOn(t: TestContext) {
  const store = await temporaryStore(t);
  await store.chatTopics.turnOn(chat, said);
  return store;
}

test('nothing of it is in the file before somebody turns it on', async (t) => {
  const store = await temporaryStore(t);
  await store.chatRoutes.save([topic('7', 's1')]);
  await stored(store, 's1', '7');
  const { chatTopics } = store;
  assert.deepEqual(
    [await chatTopics.isOn(chat), await chatTopics.at('42', '7'), await chatTopics.ofSession('s1')],
    [false, undefined, undefined],
  );
  assert.deepEqual([await chatTopics.ofPerson('42'), await chatTopics.turnOff(chat)], [[], false]);
  await chatTopics.gone('42', '7');
  assert.deepEqual(query(store.path, "SELECT name FROM sqlite_master WHERE name LIKE '%dm_topic%'"), []);
});

test('the tables are those of the original, column by column', async (t) => {
  const store = await openOn(t);
  const { tables, indexes } = original();
  for (const [name, { columns }] of Object.entries(tables).filter(([name]) => isOfTopics(name))) {
    const made = query(store.path, 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', name);
    const wanted = columns.map(({ name: column, type, notnull = false, default: usual = null, pk = 0 }) => ({
      name: column,
      type,
      notnull: Number(notnull),
      dflt_value: usual === null ? null : String(usual),
      pk,
    }));
    assert.deepEqual(
      made.map((row) => ({ ...row })),
      wanted,
      name,
    );
  }
  for (const [name, { unique }] of Object.entries(indexes).filter(([name]) => isOfTopics(name))) {
    const [found] = query<{ sql: string }>(store.path, 'SELECT sql FROM sqlite_master WHERE name = ?', name);
    assert.equal(/UNIQUE/.test(found?.sql ?? ''), unique, name);
  }
  const version = "SELECT value FROM state_meta WHERE key = 'telegram_dm_topic_schema_version'";
  assert.deepEqual({ ...query(store.path, version)[0] }, { value: '2' });
});

test('a topic has its session as soon as that is stored, and another one when its chat has', async (t) => {
  const store = await openOn(t);
  await store.chatRoutes.save([topic('7', 's1')]);
  assert.equal(await sessionAt(store, '7'), undefined, 'nothing is stored of it');
  await stored(store, 's1', '7');
  assert.equal(await sessionAt(store, '7'), 's1');
  // `/new`: the session begins with its first message.
  await store.chatRoutes.save([topic('7', 's2')]);
  assert.deepEqual([await sessionAt(store, '7'), await store.chatTopics.ofSession('s1')], [undefined, undefined]);
  await stored(store, 's2', '7');
  assert.equal(await sessionAt(store, '7'), 's2');
  // A compaction: the session is there before its chat has it.
  await store.messages.append('s2', user('hello'));
  await store.sessions.createChild('s2', { id: 's3', messages: [user('hello')], parentEndReason: 'compression' });
  await store.chatRoutes.save([topic('7', 's3')]);
  assert.deepEqual(await store.chatTopics.ofSession('s3'), {
    chatId: '42',
    threadId: '7',
    userId: '42',
    sessionKey: keyOf('7'),
    sessionId: 's3',
  });
  await store.chatRoutes.remove([keyOf('7')]);
  assert.equal(await sessionAt(store, '7'), undefined);
});

test('only topics of this person in this private chat are bound', async (t) => {
  const store = await openOn(t);
  const others = [
    { ...topic('7', 's1'), chat_type: 'group' },
    { ...topic('8', 's2'), platform: 'matrix' },
    { ...topic('9', 's3'), origin: { ...topic('9', 's3').origin, user_id: '43' } },
    { ...topic('1', 's4') },
    { ...topic('10', 's5'), origin: { ...topic('10', 's5').origin, thread_id: null } },
  ];
  for (const id of ['s1', 's2', 's3', 's4', 's5']) await stored(store, id);
  await store.chatRoutes.save(others);
  assert.deepEqual(await store.chatTopics.ofPerson('42'), []);
  assert.equal(await store.chatTopics.isOn({ chatId: '42', userId: '43' }), false);
});

test('topics in which there are conversations already have these when it is turned on, and are free when it is off', async (t) => {
  const store = await temporaryStore(t);
  await store.chatRoutes.save([topic('7', 's1'), topic('8', 's2')]);
  await stored(store, 's1', '7');
  await store.chatTopics.turnOn(chat, { enabled: true, peopleMayCreate: undefined });
  assert.equal(await sessionAt(store, '7'), 's1');
  await stored(store, 's2', '8');
  assert.deepEqual([await sessionAt(store, '8'), await store.chatTopics.isOn(chat)], ['s2', true]);
  assert.deepEqual([await store.chatTopics.turnOff(chat), await store.chatTopics.turnOff(chat)], [true, false]);
  assert.deepEqual([await store.chatTopics.ofPerson('42'), await store.chatTopics.isOn(chat)], [[], false]);
  assert.ok((await store.sessions.get('s1')) !== undefined, 'the conversation stays');
});

test('a session that is brought into a topic ends the one that was there, and is in no second one', async (t) => {
  const store = await openOn(t);
  for (const [id, thread] of [
    ['old', '7'],
    ['other', '8'],
  ] as const) {
    await store.chatRoutes.save([topic(thread, id)]);
    await stored(store, id, thread);
  }
  await stored(store, 'earlier');
  await store.sessions.end('earlier', 'session_reset');
  assert.equal(await store.chatTopics.restore(topic('7', 'other'), 'old'), false, 'it is in topic 8');
  assert.equal(await store.chatTopics.restore(topic('7', 'never stored'), 'old'), false);
  assert.deepEqual([await sessionAt(store, '7'), (await store.sessions.get('old'))?.ended_at], ['old', null]);
  assert.equal(await store.chatTopics.restore(topic('7', 'earlier'), 'old'), true);
  assert.equal((await store.sessions.get('old'))?.end_reason, 'session_switch');
  assert.equal((await store.sessions.get('earlier'))?.end_reason, null);
  assert.equal((await loadRoutes(store.chatRoutes)).get(keyOf('7'))?.session_id, 'earlier');
  const modes = (): unknown[] =>
    query(store.path, 'SELECT thread_id, managed_mode FROM telegram_dm_topic_bindings ORDER BY thread_id').map(
      (row) => ({ ...row }),
    );
  const restored = [
    { thread_id: '7', managed_mode: 'restored' },
    { thread_id: '8', managed_mode: 'auto' },
  ];
  assert.deepEqual(modes(), restored);
  await store.chatRoutes.save([topic('7', 'earlier')]);
  assert.deepEqual(modes(), restored, 'writing down that it was used changes nothing of that');
});

test('a topic that is gone leaves its session free, and the last one turns it off', async (t) => {
  const store = await openOn(t);
  for (const [id, thread] of [
    ['s1', '7'],
    ['s2', '8'],
  ] as const) {
    await store.chatRoutes.save([topic(thread, id)]);
    await stored(store, id, thread);
  }
  await store.chatTopics.gone('42', '7');
  assert.deepEqual([await store.chatTopics.ofSession('s1'), await store.chatTopics.isOn(chat)], [undefined, true]);
  await store.chatTopics.gone('42', 'never there');
  assert.equal(await store.chatTopics.isOn(chat), true);
  await store.chatTopics.gone('42', '8');
  assert.equal(await store.chatTopics.isOn(chat), false);
});

test('a session is deleted with its topic, also from the first version of the table', async (t) => {
  const store = await temporaryStore(t);
  await stored(store, 's1', '7');
  execute(store.path, firstVersion);
  execute(store.path, mode + binding('7', 's1'));
  assert.equal(await sessionAt(store, '7'), 's1');
  await store.maintenance.deleteSession('s1');
  assert.equal(await store.sessions.get('s1'), undefined);
  await stored(store, 's2');
  execute(store.path, binding('8', 's2'));
  await store.chatTopics.turnOn(chat, said);
  assert.equal(await sessionAt(store, '8'), 's2', 'what it holds is kept when the table is made anew');
  const keys = 'SELECT on_delete FROM pragma_foreign_key_list(?)';
  assert.deepEqual({ ...query(store.path, keys, 'telegram_dm_topic_bindings')[0] }, { on_delete: 'CASCADE' });
});

test('where the original bound another session to a topic, or lost its chat, the topic has that one', async (t) => {
  const store = await openOn(t);
  for (const id of ['new', 'restored', 'parent', 'lost']) await stored(store, id);
  await store.messages.append('parent', user('hello'));
  await store.sessions.createChild('parent', {
    id: 'child',
    messages: [user('hello')],
    parentEndReason: 'compression',
  });
  await store.sessions.end('restored', 'session_reset');
  await store.chatRoutes.save([topic('7', 'new'), topic('8', 'child')]);
  execute(
    store.path,
    `UPDATE telegram_dm_topic_bindings SET session_id = 'restored', managed_mode = 'restored' WHERE thread_id = '7';
     UPDATE telegram_dm_topic_bindings SET session_id = 'parent' WHERE thread_id = '8';
     ${binding('9', 'lost')}`,
  );
  await store.chatRoutes.putRight();
  const routes = await loadRoutes(store.chatRoutes);
  assert.deepEqual(
    ['7', '8', '9'].map((thread) => routes.get(keyOf(thread))?.session_id),
    ['restored', 'child', 'lost'],
  );
  assert.deepEqual(await Promise.all(['7', '8', '9'].map((at) => sessionAt(store, at))), ['restored', 'child', 'lost']);
  assert.equal((await store.sessions.get('restored'))?.ended_at, null);
  assert.deepEqual(routes.get(keyOf('9'))?.origin?.['thread_id'], '9');
});

test('a topic whose session has ended goes on as its chat does', async (t) => {
  const store = await openOn(t);
  await store.chatRoutes.save([topic('7', 's1')]);
  await stored(store, 's1', '7');
  await store.sessions.end('s1', 'new_session');
  await store.chatRoutes.putRight();
  assert.deepEqual([(await loadRoutes(store.chatRoutes)).size, await sessionAt(store, '7')], [0, undefined]);
});

const mode = `INSERT INTO telegram_dm_topic_mode (chat_id, user_id, enabled, activated_at, updated_at)
  VALUES ('42', '42', 1, 1, 1);`;

function binding(thread: string, session: string): string {
  return `INSERT INTO telegram_dm_topic_bindings
    (chat_id, thread_id, user_id, session_key, session_id, managed_mode, linked_at, updated_at)
    VALUES ('42', '${thread}', '42', '${keyOf(thread)}', '${session}', 'auto', 1, 1);`;
}

/** Sessions could not be deleted while they had a topic. */
const firstVersion = `
CREATE TABLE telegram_dm_topic_mode (chat_id TEXT PRIMARY KEY, user_id TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1, activated_at REAL NOT NULL, updated_at REAL NOT NULL, has_topics_enabled INTEGER,
  allows_users_to_create_topics INTEGER, capability_checked_at REAL, intro_message_id TEXT, pinned_message_id TEXT);
CREATE TABLE telegram_dm_topic_bindings (chat_id TEXT NOT NULL, thread_id TEXT NOT NULL, user_id TEXT NOT NULL,
  session_key TEXT NOT NULL, session_id TEXT NOT NULL REFERENCES sessions(id), managed_mode TEXT NOT NULL DEFAULT 'auto',
  linked_at REAL NOT NULL, updated_at REAL NOT NULL, PRIMARY KEY (chat_id, thread_id));
CREATE UNIQUE INDEX idx_telegram_dm_topic_bindings_session ON telegram_dm_topic_bindings(session_id);
CREATE INDEX idx_telegram_dm_topic_bindings_user ON telegram_dm_topic_bindings(user_id, chat_id);`;

function isOfTopics(name: string): boolean {
  return name.includes('telegram_dm_topic');
}

/** Its tables, as they were read off a file that it wrote. */
function original() {
  const column = z.object({
    name: z.string(),
    type: z.string(),
    notnull: z.boolean().optional(),
    default: z.union([z.string(), z.number()]).nullish(),
    pk: z.number().optional(),
  });
  const schema = z.object({
    tables: z.record(z.string(), z.object({ columns: z.array(column) })),
    indexes: z.record(z.string(), z.object({ unique: z.boolean().default(false) })),
  });
  return schema.parse(JSON.parse(readFileSync(new URL('./schema-0.19.json', import.meta.url), 'utf8')));
}
