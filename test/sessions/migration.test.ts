/** Databases of other versions: older ones are upgraded, newer ones left as they are. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { openSqliteSessionStore } from '../../src/sessions/sqlite/open.ts';
import { rows, version1, version6, version11 } from './old-databases.ts';
import { execute, query, temporaryDirectory, temporaryStore, user } from './support.ts';

const sessionColumns =
  'id source user_id model model_config system_prompt parent_session_id started_at ended_at end_reason message_count tool_call_count input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens billing_provider billing_base_url billing_mode estimated_cost_usd actual_cost_usd cost_status cost_source pricing_version title api_call_count provenance';
const messageColumns =
  'id session_id role content tool_call_id tool_calls tool_name timestamp token_count finish_reason reasoning reasoning_content reasoning_details codex_reasoning_items codex_message_items provenance';

test('a new database has version 11, all tables and columns, and a write-ahead log', async (t) => {
  const store = await temporaryStore(t);
  assert.deepEqual(versionOf(store.path), [11]);
  assert.equal(query<{ journal_mode: string }>(store.path, 'PRAGMA journal_mode')[0]?.journal_mode, 'wal');
  assert.deepEqual(columnsOf(store.path, 'sessions'), sessionColumns.split(' '));
  assert.deepEqual(columnsOf(store.path, 'messages'), messageColumns.split(' '));
  assert.deepEqual(columnsOf(store.path, 'state_meta'), ['key', 'value']);
  const objects = query<{ name: string }>(store.path, "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'");
  for (const name of ['messages_fts', 'messages_fts_trigram', 'messages_fts_insert', 'messages_fts_trigram_update']) {
    assert.ok(
      objects.some((row) => row.name === name),
      name,
    );
  }
});

test('only its owner can read a new database', { skip: process.platform === 'win32' }, async (t) => {
  const store = await temporaryStore(t);
  for (const suffix of ['', '-wal', '-shm']) assert.equal(statSync(store.path + suffix).mode & 0o777, 0o600, suffix);
});

for (const [name, script, from] of [
  ['first', version1, 1],
  ['sixth', version6, 6],
] as const) {
  test(`a database of the ${name} version keeps its rows and gains what is missing`, async (t) => {
    const path = join(temporaryDirectory(t), 'state.db');
    execute(path, script + rows);
    const store = await temporaryStore(t, { path });
    assert.deepEqual(versionOf(path), [11]);
    assert.deepEqual(columnsOf(path, 'sessions').sort(), sessionColumns.split(' ').sort());
    assert.deepEqual(columnsOf(path, 'messages').sort(), messageColumns.split(' ').sort());
    assert.deepEqual(
      (await store.messages.conversation('s')).map((message) => message.role),
      ['user', 'assistant', 'tool'],
    );
    const row = await store.sessions.get('s');
    assert.deepEqual([row?.started_at, row?.message_count, row?.input_tokens, row?.title], [1700000000.5, 3, 0, null]);
    assert.equal(
      (await store.search.messages({ query: 'quokka' }))[0]?.role,
      'assistant',
      'only in the arguments of a call',
    );
    assert.equal((await store.search.messages({ query: '部署' })).length, 1);
    await store.messages.append('s', user('appended afterwards'));
    assert.equal((await store.search.messages({ query: 'afterwards' })).length, 1);
    assert.deepEqual(await store.maintenance.checkIntegrity(), []);

    const backup = `${path}.v${from}.backup`;
    assert.deepEqual(versionOf(backup), [from], 'the database as it was');
    assert.equal(query(backup, 'SELECT * FROM messages').length, 3);
    assert.deepEqual(
      readdirSync(dirname(path)).filter((file) => file.includes('partial')),
      [],
    );
  });
}

test('a migration that fails leaves the old version, and the next open finishes it', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(path, version6 + rows);
  // An index of a name that the upgrade needs, on a table: creating the index fails half-way through.
  execute(path, 'CREATE TABLE idx_messages_session (x)');
  await assert.rejects(openSqliteSessionStore(path));
  assert.deepEqual(versionOf(path), [6]);
  assert.ok(!columnsOf(path, 'sessions').includes('api_call_count'));
  execute(path, 'DROP TABLE idx_messages_session');
  const store = await temporaryStore(t, { path });
  assert.deepEqual(versionOf(path), [11]);
  assert.equal((await store.messages.conversation('s')).length, 3);
});

test('two openings at once upgrade a database once', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(path, version6 + rows);
  const stores = await Promise.all([1, 2, 3].map(() => temporaryStore(t, { path })));
  for (const store of stores) assert.equal((await store.search.messages({ query: 'quokka' })).length, 1);
  assert.deepEqual(versionOf(path), [11]);
  assert.deepEqual(versionOf(`${path}.v6.backup`), [6]);
});

test("the original's database is used as it is, with one column more in two tables", async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(path, version11 + rows);
  const before = schemaOf(path);
  const store = await temporaryStore(t, { path });
  await store.messages.append('s', user('from here 在此'));
  assert.deepEqual(withoutAdditions(path), before);
  assert.equal((await store.search.messages({ query: '在此' })).length, 1);
  assert.ok(!existsSync(`${path}.v11.backup`));
});

test('triggers of other names that do the same are not doubled', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(path, version11.replaceAll(/CREATE TRIGGER messages_fts/g, 'CREATE TRIGGER other_name') + rows);
  const before = schemaOf(path);
  const store = await temporaryStore(t, { path });
  await store.messages.append('s', user('once'));
  assert.deepEqual(withoutAdditions(path), before);
  assert.equal((await store.search.messages({ query: 'once' })).length, 1);
});

test('a missing index or search table of a current database is made again and filled', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(path, version11 + rows);
  execute(
    path,
    'DROP TABLE messages_fts_trigram; DROP INDEX idx_sessions_title_unique; DROP TRIGGER messages_fts_insert',
  );
  for (const event of ['insert', 'delete', 'update']) execute(path, `DROP TRIGGER messages_fts_trigram_${event}`);
  const store = await temporaryStore(t, { path });
  assert.equal((await store.search.messages({ query: '部署' })).length, 1);
  await store.messages.append('s', user('afterwards'));
  assert.equal((await store.search.messages({ query: 'afterwards' })).length, 1);
});

test('plain SQLite of another program can read and write what this one made', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(path, version6 + rows);
  const store = await temporaryStore(t, { path });
  await store.messages.append('s', { role: 'user', content: [{ type: 'text', text: 'parts' }] });
  const script = `
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.execute("PRAGMA foreign_keys=ON")
assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
assert json.loads(db.execute("SELECT content FROM messages ORDER BY id DESC").fetchone()[0])[0]["text"] == "parts"
db.execute("INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', 'from python', 1800000000)")
db.execute("UPDATE sessions SET message_count = message_count + 1, title = 'T'")
db.commit()
print(db.execute("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'python'").fetchone()[0])
`;
  if (spawnSync('python3', ['-c', 'import sqlite3']).status !== 0) return t.skip('there is no python3 here');
  assert.equal(execFileSync('python3', ['-c', script, path], { encoding: 'utf8' }).trim(), '1');
  assert.deepEqual((await store.messages.conversation('s')).at(-1), user('from python'));
  assert.equal((await store.sessions.resolve('T'))?.message_count, 5);
});

test('a newer version with unknown columns works and keeps its version and its columns', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(
    path,
    `${version11}${rows}
    ALTER TABLE messages ADD COLUMN archived INTEGER DEFAULT 7; CREATE TABLE later (x);
    UPDATE schema_version SET version = 15`,
  );
  const before = schemaOf(path);
  const store = await temporaryStore(t, { path });
  await store.messages.append('s', user('hello'));
  await store.messages.rewrite('s', [user('hello')]);
  assert.equal((await store.search.messages({ query: 'hello' })).length, 1);
  assert.deepEqual(versionOf(path), [15]);
  assert.deepEqual(withoutAdditions(path), before);
  assert.equal(query<{ archived: number }>(path, 'SELECT archived FROM messages')[0]?.archived, 7);
  await assert.rejects(store.maintenance.rebuildIndexes(), /newer schema version 15/);
});

for (const [name, change, reason] of [
  ['lacks a column', 'ALTER TABLE messages DROP COLUMN reasoning', /lacks messages\.reasoning/],
  [
    'refuses our rows',
    "CREATE TRIGGER no BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'not you'); END",
    /not you/,
  ],
] as const) {
  test(`a newer version that ${name} is refused with both versions named, and left untouched`, async (t) => {
    const path = join(temporaryDirectory(t), 'state.db');
    execute(path, `${version11}${rows}${change}; UPDATE schema_version SET version = 15`);
    const before = readFileSync(path);
    await assert.rejects(openSqliteSessionStore(path), (error: unknown) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /version 15.*up to 11/);
      assert.match(error.message, reason);
      return true;
    });
    assert.ok(readFileSync(path).equals(before));
    assert.deepEqual(readdirSync(dirname(path)), ['state.db']);
  });
}

test("another program's database is refused and left untouched", async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(path, 'CREATE TABLE sessions (key TEXT, secret TEXT)');
  const before = readFileSync(path);
  await assert.rejects(openSqliteSessionStore(path), /is not a session database \(it lacks sessions\.id/);
  assert.ok(readFileSync(path).equals(before));
});

test('opening a current database changes nothing in its file', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  const first = await openSqliteSessionStore(path);
  await first.sessions.create({ id: 's', source: 'cli' });
  await first.close();
  chmodSync(path, 0o640);
  const before = readFileSync(path);
  const again = await openSqliteSessionStore(path);
  assert.equal((await again.sessions.list()).length, 1);
  await again.close();
  assert.ok(readFileSync(path).equals(before));
  assert.equal(statSync(path).mode & 0o777, 0o640, 'nor its mode');
});

function versionOf(path: string): number[] {
  return query<{ version: number }>(path, 'SELECT version FROM schema_version').map((row) => row.version);
}

function columnsOf(path: string, table: string): string[] {
  return query<{ name: string }>(path, 'SELECT name FROM pragma_table_info(?)', table).map((row) => row.name);
}

function schemaOf(path: string): unknown[] {
  return query(path, 'SELECT type, name, sql FROM sqlite_master ORDER BY type, name');
}

/** The schema as it was before this program added its columns. */
function withoutAdditions(path: string): unknown[] {
  assert.deepEqual(columnsOf(path, 'messages').filter((name) => name === 'provenance').length, 1);
  const copy = `${path}.copy`;
  query(path, 'VACUUM INTO ?', copy);
  execute(copy, 'ALTER TABLE messages DROP COLUMN provenance; ALTER TABLE sessions DROP COLUMN provenance');
  return schemaOf(copy);
}
