/** What a repair takes over from a damaged database, beside the conversations themselves. */
import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { salvage } from '../../src/sessions/sqlite/salvage.ts';
import { chatMessage, reply, route } from './chat-support.ts';
import { execute, query, temporaryDirectory, temporaryStore, user } from './support.ts';

const requests = {
  input_tokens: 7,
  output_tokens: 5,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  api_calls: 1,
};

test('leases, runs of programs, the books and the sources of every message are taken over', async (t) => {
  const store = await filledStore(t, 20);
  const page = { from: 'page', url: 'https://example.org/' } as const;
  await store.messages.append('s0', { ...user('from a page'), sources: [page] });
  const lease = await store.leases.take('s0', 'terminal', { ttlMs: 60_000 });
  const run = await store.outsideRuns.begin({ from: 'program', name: 'curl' });
  await store.outsideRuns.end(run);
  await store.usage.add('s0', requests);
  await store.close();
  const before = everything(store.path);
  damageOneLeaf(store.path, 'messages', 0.5);
  const { path, found } = await salvaged(t, store.path);
  assert.equal(found?.sessions, 20);
  const after = everything(path);
  assert.ok(lease.granted);
  for (const table of ['session_leases', 'outside_runs', 'model_calls', 'session_model_usage', 'sessions']) {
    assert.ok((before[table] ?? []).length > 0, `there is something in ${table}`);
    assert.deepEqual(after[table], before[table], table);
  }
  const stored = query<{ id: number }>(path, 'SELECT id FROM messages').map(({ id }) => id);
  assert.deepEqual(
    after['messages'],
    before['messages']?.filter((row) => stored.includes((row as { id: number }).id)),
  );
  const mended = await temporaryStore(t, { path });
  assert.deepEqual(await mended.outsideRuns.during(Date.now()), { from: 'program', name: 'curl' });
  const fence = await mended.leases.takeOver('s0', 'somebody else', { ttlMs: 60_000 });
  assert.ok(fence > lease.fence, 'a new holder has a higher fence');
});

test('what chats wait for and are owed is taken over, with its order and its marks', async (t) => {
  const store = await filledStore(t, 20);
  for (const id of ['a', 'b', 'c']) await store.chatInbox.accept(chatMessage(id));
  await store.chatInbox.end([2], 'done', [reply('r')]);
  await store.chatRoutes.save([route()]);
  await store.close();
  damageOneLeaf(store.path, 'messages', 0.5);
  const { path } = await salvaged(t, store.path);
  const mended = await temporaryStore(t, { path });
  assert.deepEqual(
    (await mended.chatInbox.open()).map(({ id, eventId }) => [id, eventId]),
    [
      [1, 'a'],
      [3, 'c'],
    ],
  );
  assert.equal(await mended.chatInbox.accept(chatMessage('b')), 'duplicate');
  await mended.chatInbox.end([3], 'done');
  assert.equal(await mended.chatInbox.accept(chatMessage('d')), 'accepted');
  assert.equal((await mended.chatInbox.open()).at(-1)?.id, 4, 'no id is given twice');
  assert.deepEqual(
    (await mended.outbox.claimOpen(['telegram'])).map(({ id, details }) => [id, details]),
    [['r', '{"to":"r"}']],
  );
});

test('tables and columns that this build does not know are taken over with their indexes', async (t) => {
  const store = await filledStore(t, 20);
  await store.close();
  execute(
    store.path,
    `CREATE TABLE topics (chat TEXT, topic TEXT, session_id TEXT REFERENCES sessions(id), PRIMARY KEY (chat, topic));
     CREATE UNIQUE INDEX topics_session ON topics(session_id);
     INSERT INTO topics VALUES ('a', '1', 's1'), ('a', '2', NULL);
     CREATE TABLE plain (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
     INSERT INTO plain VALUES ('k', x'00ff');
     CREATE VIEW newest AS SELECT max(id) FROM messages;
     ALTER TABLE sessions ADD COLUMN "mood of it" TEXT NOT NULL DEFAULT 'calm';
     UPDATE sessions SET "mood of it" = 'odd' WHERE id = 's2'`,
  );
  damageOneLeaf(store.path, 'messages', 0.5);
  const { path } = await salvaged(t, store.path);
  for (const sql of [
    'SELECT * FROM topics ORDER BY topic',
    'SELECT * FROM plain',
    'SELECT id, "mood of it" FROM sessions ORDER BY id',
    "SELECT sql FROM sqlite_master WHERE name LIKE 'topics%' ORDER BY name",
  ]) {
    assert.deepEqual(query(path, sql), query(store.path, sql), sql);
  }
  await (await temporaryStore(t, { path })).close();
});

test('rows about a session that could not be read do not stay behind', async (t) => {
  const store = await filledStore(t, 200);
  await store.usage.add('s190', requests);
  await store.close();
  execute(store.path, 'CREATE TABLE topics (chat TEXT PRIMARY KEY, session_id TEXT REFERENCES sessions(id))');
  const ids = query<{ id: string }>(store.path, 'SELECT id FROM sessions').map(({ id }) => id);
  for (const id of ids) execute(store.path, `INSERT INTO topics VALUES ('${id}', '${id}')`);
  execute(store.path, "DELETE FROM messages WHERE session_id <> 's1'");
  damageOneLeaf(store.path, 'sessions', 0.5);
  const { path, found } = await salvaged(t, store.path);
  assert.ok(found !== undefined && found.sessions > 100 && found.sessions < 200, `${found?.sessions} sessions`);
  assert.deepEqual(query(path, 'PRAGMA foreign_key_check'), []);
  assert.equal(query(path, 'SELECT * FROM topics').length, found.sessions);
});

test('where the last sessions cannot be read, those before them are', async (t) => {
  const store = await filledStore(t, 200);
  await store.close();
  damageOneLeaf(store.path, 'sessions', 1);
  const { path, found } = await salvaged(t, store.path);
  assert.equal(found?.sessions, 200, 'those of the last page live on by their messages');
  const named = query<{ n: number }>(path, "SELECT count(*) AS n FROM sessions WHERE source = 'cli'")[0]?.n ?? 0;
  assert.ok(named > 100 && named < 200, `${named} of 200 sessions kept their row`);
});

test('a version that cannot be read does not keep the conversations back', async (t) => {
  const store = await filledStore(t, 5);
  await store.close();
  const [leaf] = query<{ page: number }>(store.path, "SELECT pageno AS page FROM dbstat WHERE name = 'schema_version'");
  overwrite(store.path, leaf?.page ?? 0);
  const { path, found } = await salvaged(t, store.path);
  assert.deepEqual(found, { sessions: 5, messages: 5 });
  assert.deepEqual(query(path, 'SELECT version FROM schema_version').map(Object.values), [[22]]);
});

type Filled = Awaited<ReturnType<typeof temporaryStore>>;

async function filledStore(t: TestContext, sessions: number): Promise<Filled> {
  const store = await temporaryStore(t);
  for (let n = 0; n < sessions; n += 1) {
    await store.sessions.create({ id: `s${n}`, source: 'cli', systemPrompt: 'Be kind. '.repeat(20) });
    await store.messages.append(`s${n}`, user(`number ${n} ${'lorem ipsum '.repeat(80)}`));
  }
  return store;
}

async function salvaged(t: TestContext, from: string) {
  const path = join(temporaryDirectory(t), 'state.db');
  return { path, found: await salvage(from, path) };
}

/** Rows of every table but the search index, as text. */
function everything(path: string): Record<string, readonly object[]> {
  const names = query<{ name: string }>(
    path,
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  return Object.fromEntries(
    names.map(({ name }) => [name, query(path, `SELECT * FROM ${name} ORDER BY 1`).map((row) => ({ ...row }))]),
  );
}

/** Writes over one leaf of a table; `where` says how far from its beginning: 0 to 1. */
function damageOneLeaf(path: string, table: string, where: number): void {
  const sql = "SELECT pageno AS page FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path";
  const pages = query<{ page: number }>(path, sql, table);
  const page = pages[Math.floor((pages.length - 1) * where)]?.page ?? 0;
  assert.ok(pages.length > 2, `${table} has ${pages.length} leaves`);
  overwrite(path, page);
}

function overwrite(path: string, page: number): void {
  assert.ok(page > 1);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, (page - 1) * 4096);
  closeSync(file);
}
