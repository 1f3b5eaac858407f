/** Databases of other versions: older ones are upgraded, newer ones left as they are. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { openSqliteSessionStore } from '../../src/sessions/sqlite/open.ts';
import { rows, version1, version6, version11 } from './old-databases.ts';
import { execute, query, temporaryDirectory, temporaryStore, user } from './support.ts';

/** The schema of release 0.19, as its own databases have it. */
const original = JSON.parse(readFileSync(new URL('./schema-0.19.json', import.meta.url), 'utf8')) as Schema;
const ours: Record<string, string[]> = { sessions: ['provenance'], messages: ['provenance'] };

test("a new database is one of version 22, with the original's tables, indexes, triggers and a write-ahead log", async (t) => {
  const store = await temporaryStore(t);
  assert.deepEqual(versionOf(store.path), [22]);
  assert.equal(query<{ journal_mode: string }>(store.path, 'PRAGMA journal_mode')[0]?.journal_mode, 'wal');
  for (const [table, { columns, created }] of Object.entries(original.tables)) {
    if (created === 'lazily') continue;
    const expected = columns.map(({ name, type, notnull = false, default: value = null, pk = 0 }) => ({
      name,
      type,
      notnull: notnull ? 1 : 0,
      dflt_value: value,
      pk,
    }));
    const found = query<{ name: string }>(
      store.path,
      'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)',
      table,
    );
    assert.deepEqual(
      found.filter(({ name }) => !ours[table]?.includes(name)).map((row) => ({ ...row })),
      expected,
      table,
    );
  }
  const objects = query<{ name: string; sql: string }>(
    store.path,
    'SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL',
  );
  const wanted = Object.keys(original.indexes).filter((name) => !name.startsWith('idx_telegram'));
  for (const name of [...wanted, ...Object.keys(original.triggers), 'messages_fts', 'messages_fts_trigram']) {
    assert.ok(
      objects.some((row) => row.name === name),
      name,
    );
  }
  for (const name of wanted) {
    const { columns, unique = false, where } = original.indexes[name] ?? { columns: [] };
    const sql = objects.find((row) => row.name === name)?.sql ?? '';
    assert.ok(sql.includes(`(${columns.join(', ')})`), sql);
    assert.equal(sql.includes('UNIQUE'), unique, sql);
    assert.equal(/ WHERE (.*)$/.exec(sql)?.[1], where, sql);
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
    assert.deepEqual(versionOf(path), [22]);
    for (const table of ['sessions', 'messages']) {
      const names = original.tables[table]?.columns.map(({ name }) => name) ?? [];
      assert.deepEqual(columnsOf(path, table).sort(), [...names, 'provenance'].sort());
    }
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
  assert.deepEqual(versionOf(path), [22]);
  assert.equal((await store.messages.conversation('s')).length, 3);
});

test('two openings at once upgrade a database once', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(path, version6 + rows);
  const stores = await Promise.all([1, 2, 3].map(() => temporaryStore(t, { path })));
  for (const store of stores) assert.equal((await store.search.messages({ query: 'quokka' })).length, 1);
  assert.deepEqual(versionOf(path), [22]);
  assert.deepEqual(versionOf(`${path}.v6.backup`), [6]);
});

test('triggers of other names that do the same are not doubled', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(path, version11.replaceAll(/CREATE TRIGGER messages_fts/g, 'CREATE TRIGGER other_name') + rows);
  const store = await temporaryStore(t, { path });
  await store.messages.append('s', user('once'));
  const triggers = query(path, "SELECT name FROM sqlite_master WHERE type = 'trigger'");
  assert.equal(triggers.length, 6);
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
content = db.execute("SELECT content FROM messages ORDER BY id DESC").fetchone()[0]
assert content.startswith("\\x00json:") and json.loads(content[6:])[0]["text"] == "parts"
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
  const path = await newerDatabase(
    t,
    'ALTER TABLE messages ADD COLUMN later INTEGER DEFAULT 7; CREATE TABLE later (x)',
  );
  const before = schemaOf(path);
  const told: string[] = [];
  const store = await temporaryStore(t, { path, tell: (line) => told.push(line) });
  await (await temporaryStore(t, { path, tell: (line) => told.push(line) })).close();
  assert.deepEqual(told.length, 1, 'once, not with every start');
  assert.match(told[0] ?? '', /schema version 99, newer than the 22/);
  await store.messages.append('s', user('hello'));
  await store.messages.rewrite('s', [user('hello')]);
  assert.equal((await store.search.messages({ query: 'hello' })).length, 1);
  assert.deepEqual(versionOf(path), [99]);
  assert.deepEqual(schemaOf(path), before);
  assert.equal(query<{ later: number }>(path, 'SELECT later FROM messages')[0]?.later, 7);
  await assert.rejects(store.maintenance.rebuildIndexes(), /newer schema version 99/);
});

test('what killed upgrades left of their backups is removed, what a living one writes is not', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const names = [`state.db.v11.backup.${gone}-0123abcd.partial`, `state.db.v11.backup.${process.pid}-0123abcd.partial`];
  for (const name of [...names, `${names[0]}-journal`, 'state.db.v6.backup']) {
    writeFileSync(join(dirname(path), name), 'x');
  }
  await temporaryStore(t, { path });
  const left = readdirSync(dirname(path)).filter((file) => file.includes('backup'));
  assert.deepEqual(new Set(left), new Set([names[1], 'state.db.v6.backup']));
});

for (const [name, change, reason] of [
  ['lacks a column', 'ALTER TABLE messages DROP COLUMN reasoning', /lacks messages\.reasoning/],
  [
    'wants a column that we do not know',
    'DROP TABLE session_model_usage; CREATE TABLE session_model_usage (session_id TEXT, model TEXT, billing_provider TEXT, billing_base_url TEXT, billing_mode TEXT, task TEXT, api_call_count INTEGER, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, reasoning_tokens INTEGER, estimated_cost_usd REAL, actual_cost_usd REAL, cost_status TEXT, cost_source TEXT, first_seen REAL, last_seen REAL, must TEXT NOT NULL)',
    /it requires session_model_usage\.must/,
  ],
  [
    'refuses our rows',
    "CREATE TRIGGER no BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'not you'); END",
    /its trigger no is not known/,
  ],
  [
    'has a rule that our rows break',
    'CREATE UNIQUE INDEX one_by_source ON sessions(source); INSERT INTO sessions (id, source, started_at) VALUES (1, 2, 3)',
    /refuses what would be written \(UNIQUE constraint failed/,
  ],
] as const) {
  test(`a newer version that ${name} is refused with both versions named, or only read, and left untouched`, async (t) => {
    const path = await newerDatabase(t, change);
    const before = readFileSync(path);
    await assert.rejects(openSqliteSessionStore(path), (error: unknown) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /version 99.*up to 22/);
      assert.match(error.message, reason);
      return true;
    });
    const told: string[] = [];
    const store = await openSqliteSessionStore(path, { forReading: 'if it must be', tell: (line) => told.push(line) });
    assert.ok((await store.sessions.list()).some(({ id }) => id === 's'));
    await assert.rejects(store.sessions.setTitle('s', 'T'), /version 99.*up to 22/);
    await store.close();
    assert.match(told.join('\n'), /^\S+state\.db has schema version 99.*opened for reading only\.$/);
    assert.ok(readFileSync(path).equals(before));
    assert.deepEqual(readdirSync(dirname(path)), ['state.db']);
  });
}

test('runs of sub-agents are marked by the upgrade, conversations of a person are not', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(
    path,
    `${version11}${rows}
    ALTER TABLE messages ADD COLUMN provenance TEXT;
    INSERT INTO sessions (id, source, started_at) VALUES ('mine', 'cli', 1), ('talk', 'cli', 2);
    INSERT INTO messages (session_id, role, content, tool_call_id, timestamp, provenance)
      VALUES ('mine', 'tool', 'x', 'c', 1, '{"sources":[]}'), ('talk', 'user', 'x', NULL, 1, NULL);
    INSERT INTO sessions (id, source, started_at, ended_at, end_reason, title) VALUES
      ('parent', 'cli', 10, 20, 'branched', 'P'), ('long', 'cli', 10, 20, 'compression', 'L');
    INSERT INTO sessions (id, source, started_at, parent_session_id) VALUES
      ('run', 'cli', 15, 'parent'), ('branch', 'cli', 20, 'parent'), ('rest', 'cli', 21, 'long'),
      ('early', 'cli', 19, 'long')`,
  );
  await temporaryStore(t, { path });
  const marks = query<{ id: string; model_config: string | null }>(path, 'SELECT id, model_config FROM sessions');
  assert.deepEqual(
    Object.fromEntries(marks.map(({ id, model_config }) => [id, model_config && JSON.parse(model_config)])),
    {
      s: { _delegate_from: '__orphaned__' },
      mine: null,
      talk: null,
      parent: null,
      long: null,
      run: { _delegate_from: 'parent' },
      branch: { _branched_from: 'parent' },
      rest: null,
      // The original may store it a moment before it ends the parent.
      early: null,
    },
  );
});

test('the upgrade fills in chats from the routing index, and usage from the totals', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  execute(path, `${version11}${rows} UPDATE sessions SET input_tokens = 5, output_tokens = 2, model = 'm'`);
  mkdirSync(join(dirname(path), 'sessions'));
  const origin = { platform: 'telegram', chat_id: 7, chat_name: 'Home', chat_type: 'dm' };
  const index = { _README: 'x', 'agent:main:telegram:dm:7': { session_id: 's', memory_flushed: true, origin } };
  writeFileSync(join(dirname(path), 'sessions', 'sessions.json'), JSON.stringify(index));
  await temporaryStore(t, { path });
  const [row] = query(path, 'SELECT session_key, chat_id, chat_type, display_name, expiry_finalized FROM sessions');
  assert.deepEqual(
    { ...row },
    {
      session_key: 'agent:main:telegram:dm:7',
      chat_id: '7',
      chat_type: 'dm',
      display_name: 'Home',
      expiry_finalized: 1,
    },
  );
  const usage = query(
    path,
    'SELECT session_id, model, task, input_tokens, output_tokens, first_seen FROM session_model_usage',
  );
  assert.deepEqual(
    usage.map((found) => ({ ...found })),
    [{ session_id: 's', model: 'm', task: '', input_tokens: 5, output_tokens: 2, first_seen: 1700000000.5 }],
  );
});

test('usage by model of version 21 gets a task, messages without a mark count as live, of two equal titles the newer stays', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  const columns = 'api_call_count input_tokens output_tokens cache_read_tokens cache_write_tokens reasoning_tokens';
  execute(
    path,
    `${version11}${rows}
    DROP INDEX idx_sessions_title_unique;
    CREATE TABLE session_model_usage (session_id TEXT NOT NULL, model TEXT NOT NULL, billing_provider TEXT NOT NULL
      DEFAULT '', billing_base_url TEXT NOT NULL DEFAULT '', billing_mode TEXT NOT NULL DEFAULT '',
      ${columns
        .split(' ')
        .map((name) => `${name} INTEGER`)
        .join(', ')}, estimated_cost_usd REAL, actual_cost_usd REAL,
      cost_status TEXT, cost_source TEXT, first_seen REAL, last_seen REAL,
      PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode));
    INSERT INTO session_model_usage (session_id, model, ${columns.split(' ').join(', ')}, estimated_cost_usd,
      actual_cost_usd) VALUES ('s', 'm', 1, 2, 3, 4, 5, 6, 0, 0);
    INSERT INTO sessions (id, source, started_at, title) VALUES ('a', 'cli', 1, 'same'), ('b', 'cli', 2, 'same');
    ALTER TABLE messages ADD COLUMN active INTEGER; UPDATE schema_version SET version = 21`,
  );
  const store = await temporaryStore(t, { path });
  assert.deepEqual(versionOf(path), [22]);
  const [usage] = query(path, 'SELECT task, input_tokens, reasoning_tokens FROM session_model_usage');
  assert.deepEqual({ ...usage }, { task: '', input_tokens: 2, reasoning_tokens: 6 });
  assert.equal((await store.messages.conversation('s')).length, 3);
  assert.deepEqual([(await store.sessions.get('a'))?.title, (await store.sessions.get('b'))?.title], [null, 'same']);
});

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

interface Schema {
  readonly tables: Record<string, { columns: SchemaColumn[]; created?: string }>;
  readonly indexes: Record<string, { columns: string[]; unique?: boolean; where?: string }>;
  readonly triggers: Record<string, unknown>;
}

interface SchemaColumn {
  readonly name: string;
  readonly type: string;
  readonly notnull?: boolean;
  readonly default?: string;
  readonly pk?: number;
}

function versionOf(path: string): number[] {
  return query<{ version: number }>(path, 'SELECT version FROM schema_version').map((row) => row.version);
}

function columnsOf(path: string, table: string): string[] {
  return query<{ name: string }>(path, 'SELECT name FROM pragma_table_info(?)', table).map((row) => row.name);
}

function schemaOf(path: string): unknown[] {
  return query(path, 'SELECT type, name, sql FROM sqlite_master ORDER BY type, name');
}

/** A database of a version that this build does not know, with a session `s`. */
async function newerDatabase(t: TestContext, change: string): Promise<string> {
  const path = join(temporaryDirectory(t), 'state.db');
  const store = await openSqliteSessionStore(path);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.close();
  execute(path, `${change}; UPDATE schema_version SET version = 99; PRAGMA journal_mode = DELETE`);
  return path;
}
