/** What the tables of chats do when the file cannot be written: one clear error, and nothing half-written. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { Connection, type WaitOptions } from '../../src/sessions/sqlite/connection.ts';
import { durability } from '../../src/sessions/sqlite/journal.ts';
import { FullTextIndex } from '../../src/sessions/sqlite/full-text.ts';
import { openSchema } from '../../src/sessions/sqlite/open-schema.ts';
import { openSqliteSessionStore } from '../../src/sessions/sqlite/open.ts';
import { SqliteSessionStore } from '../../src/sessions/sqlite/store.ts';
import { chatMessage, loadRoutes, reply } from './chat-support.ts';
import { execute, query, temporaryDirectory, temporaryStore } from './support.ts';

const isUserError =
  (message: RegExp) =>
  (error: unknown): boolean =>
    error instanceof UserError && message.test(error.message) && error.hint !== undefined;

test('with a full disk nothing is half-written, everybody is told, and it goes on when there is space', async (t) => {
  const { db, store } = await smallStore(t);
  await store.chatInbox.accept(chatMessage('a'));
  await store.outbox.add(reply('first'));
  const pages = (): number => Number(db.get('PRAGMA page_count')?.['page_count']);
  db.exec(`PRAGMA max_page_count = ${pages()}`);
  const large = 'x'.repeat(50_000);
  const told = /no space is left for the session database/;
  const together = [
    store.chatInbox.accept(chatMessage('b')),
    store.chatInbox.accept(chatMessage('c', { event: large })),
    store.chatInbox.end([1], 'done', [reply('r', { content: large })]),
  ];
  for (const one of together) await assert.rejects(one, isUserError(told));
  await assert.rejects(store.chatInbox.end([1], 'done', [reply('r', { content: large })]), isUserError(told));
  assert.deepEqual(
    (await store.chatInbox.open()).map(({ eventId, event }) => [eventId, event]),
    [['a', '{"text":"a"}']],
  );
  assert.equal(await store.outbox.get('r'), undefined);
  db.exec('PRAGMA max_page_count = 1000000');
  assert.deepEqual(await store.chatInbox.end([1], 'done', [reply('r', { content: large })]), ['r']);
  assert.equal(await store.chatInbox.accept(chatMessage('b')), 'accepted');
});

test('a table that could not be made for lack of space is made when there is some', async (t) => {
  const { db, store } = await smallStore(t);
  db.exec(`PRAGMA max_page_count = ${Number(db.get('PRAGMA page_count')?.['page_count'])}`);
  await assert.rejects(store.chatInbox.accept(chatMessage('a')), isUserError(/no space/));
  await assert.rejects(store.outbox.add(reply('r')), isUserError(/no space/));
  db.exec('PRAGMA max_page_count = 1000000');
  assert.equal(await store.chatInbox.accept(chatMessage('a')), 'accepted');
  await store.outbox.add(reply('r'));
  assert.equal((await store.outbox.get('r'))?.state, 'pending');
});

test('one that is refused, or is no message at all, is taken back alone', async (t) => {
  const store = await temporaryStore(t);
  const outcomes = await Promise.allSettled([
    store.chatInbox.accept(chatMessage('a')),
    // A caller's mistake.
    store.chatInbox.accept(chatMessage('b', { event: null as unknown as string })),
    store.chatInbox.end([1], 'done', [reply('r'), reply('s', { content: null as unknown as string })]),
    store.chatInbox.accept(chatMessage('c')),
  ]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(
    (await store.chatInbox.open()).map(({ eventId, event }) => [eventId, event]),
    ['a', 'c'].map((id) => [id, `{"text":"${id}"}`]),
  );
  assert.equal(await store.outbox.get('r'), undefined, 'neither the end nor a part of what is told');
});

test('a store that is only read has an empty inbox and an index, and refuses to be written to', async (t) => {
  const first = await temporaryStore(t);
  await loadRoutes(first.chatRoutes);
  await first.sessions.create({ id: 's', source: 'cli' });
  const store = await openSqliteSessionStore(first.path, { forReading: 'always' });
  t.after(() => store.close());
  assert.deepEqual(
    [await store.chatInbox.open(), await store.chatInbox.waiting('k'), await store.chatInbox.count()],
    [[], [], 0],
  );
  assert.equal(await store.outbox.get('r'), undefined);
  assert.equal((await loadRoutes(store.chatRoutes)).size, 0);
  const told = /is not accessible for writing/;
  await assert.rejects(store.chatInbox.accept(chatMessage('a')), isUserError(told));
  await assert.rejects(store.outbox.add(reply('r')), isUserError(told));
  await assert.rejects(store.chatRoutes.remove(['k']), isUserError(told));
});

for (const [name, change, message] of [
  ['requires more', "ALTER TABLE delivery_obligations ADD COLUMN lane TEXT NOT NULL DEFAULT ''", undefined],
  ['lacks a column', 'ALTER TABLE delivery_obligations RENAME COLUMN content TO body', /it lacks content/],
  ['has a new key', recreated('lane TEXT NOT NULL'), /it requires lane/],
] as const) {
  test(`a ledger of a newer version that ${name} is ${message === undefined ? 'written to' : 'left untouched'}`, async (t) => {
    const path = join(temporaryDirectory(t), 'state.db');
    const first = await openSqliteSessionStore(path);
    await first.outbox.add(reply('r'));
    await first.close();
    execute(path, `${change}; UPDATE schema_version SET version = 99`);
    const before = query(path, 'SELECT * FROM delivery_obligations');
    const store = await temporaryStore(t, { path });
    if (message === undefined) {
      await store.outbox.add(reply('s'));
      return;
    }
    await assert.rejects(store.outbox.add(reply('s')), isUserError(message));
    await assert.rejects(store.outbox.claimOpen(['telegram']), isUserError(message));
    assert.equal(await store.chatInbox.accept(chatMessage('a')), 'accepted');
    await assert.rejects(store.chatInbox.end([1], 'done', [reply('s')]), isUserError(message));
    assert.equal(await store.chatInbox.count(), 1, 'it has not ended');
    assert.deepEqual(query(path, 'SELECT * FROM delivery_obligations'), before);
  });
}

test('an index of a newer version that requires more is not written to', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  await (await openSqliteSessionStore(path)).close();
  execute(
    path,
    `DROP TABLE gateway_routing; UPDATE schema_version SET version = 99;
     CREATE TABLE gateway_routing (scope TEXT NOT NULL DEFAULT '', session_key TEXT NOT NULL, entry_json TEXT NOT NULL,
       updated_at REAL NOT NULL, generation INTEGER NOT NULL, PRIMARY KEY (scope, session_key))`,
  );
  const store = await temporaryStore(t, { path });
  await assert.rejects(store.chatRoutes.save([]), isUserError(/gateway_routing in .* requires generation/));
});

test('all calls of one turn of the event loop share one transaction', async (t) => {
  const { db, store } = await smallStore(t);
  await store.chatInbox.accept(chatMessage('first'));
  await store.outbox.add(reply('first'));
  const run: string[] = [];
  const exec = db.exec.bind(db);
  t.mock.method(db, 'exec', (sql: string) => {
    run.push(sql);
    exec(sql);
  });
  const [refused] = await Promise.allSettled([
    store.sessions.setTitle('nobody', 'title'),
    ...Array.from({ length: 100 }, (_, index) => store.chatInbox.accept(chatMessage(`m${index}`))),
    ...Array.from({ length: 100 }, (_, index) => store.outbox.add(reply(`r${index}`))),
    store.chatRoutes.remove(['k']),
    store.sessions.create({ id: 'new', source: 'cli' }),
  ]);
  assert.equal(run.filter((sql) => sql === 'COMMIT').length, 1);
  assert.equal(refused.status, 'rejected', 'one that fails is taken back alone');
  assert.equal(await store.chatInbox.count(), 101);
  assert.equal((await store.sessions.get('new'))?.source, 'cli');
});

const onLinux = process.platform === 'linux';

test('what a platform is told of is on the disk, also before a power cut; other writes do not wait for that', {
  skip: onLinux ? false : 'elsewhere SQLite flushes',
}, async (t) => {
  const flushes: (() => void)[] = [];
  const { store } = await smallStore(t, { flush: () => new Promise((resolve) => flushes.push(resolve)) });
  const order: string[] = [];
  const noted = (what: string, done: Promise<unknown>) => done.then(() => order.push(what));
  const first = noted('first', store.chatInbox.accept(chatMessage('first')));
  await store.meta.set('key', 'value');
  // These come while the disk is at work, so it is asked once more, for both.
  const later = [
    noted('second', store.chatInbox.accept(chatMessage('second'))),
    noted('reply', store.outbox.add(reply('r'))),
  ];
  await store.meta.set('key', 'other value');
  assert.deepEqual(order, [], 'nobody is told before it is on the disk');
  assert.equal(await store.chatInbox.count(), 2, 'it is written all the same');
  assert.equal(flushes.length, 1);
  flushes[0]?.();
  await first;
  assert.deepEqual(order, ['first']);
  while (flushes.length < 2) await new Promise((resolve) => setImmediate(resolve));
  flushes[1]?.();
  await Promise.all(later);
  assert.equal(flushes.length, 2);
});

test('a disk that does not take what is written is said, and what comes later is not held up by it', {
  skip: onLinux ? false : 'elsewhere SQLite flushes',
}, async (t) => {
  let broken = true;
  const { store } = await smallStore(t, {
    flush: async () => {
      if (broken) throw new Error('EIO: i/o error, fdatasync');
    },
  });
  await assert.rejects(store.chatInbox.accept(chatMessage('first')), /i\/o error/);
  broken = false;
  assert.equal(await store.chatInbox.accept(chatMessage('second')), 'accepted');
});

test('without a write-ahead log SQLite brings onto the disk what a platform is told of', async (t) => {
  const { db, store } = await smallStore(t);
  db.exec('PRAGMA journal_mode = DELETE');
  await store.chatInbox.accept(chatMessage('first'));
  const run: string[] = [];
  const exec = db.exec.bind(db);
  t.mock.method(db, 'exec', (sql: string) => {
    run.push(sql);
    exec(sql);
  });
  const usual = durability(process.platform);
  await store.chatInbox.accept(chatMessage('second'));
  assert.deepEqual(run.splice(0), ['PRAGMA synchronous = FULL', 'BEGIN IMMEDIATE', 'COMMIT', usual]);
  db.exec(`PRAGMA max_page_count = ${Number(db.get('PRAGMA page_count')?.['page_count'])}`);
  await assert.rejects(store.chatInbox.accept(chatMessage('third', { event: 'x'.repeat(50_000) })));
  assert.equal(run.at(-1), usual);
  run.splice(0);
  await store.meta.set('key', 'value');
  assert.deepEqual(run, ['BEGIN IMMEDIATE', 'COMMIT']);
});

test('what waits for another process is done in order when that lets go', async (t) => {
  const store = await temporaryStore(t, { busyTimeoutMs: 5 });
  await store.chatInbox.accept(chatMessage('a'));
  const other = new DatabaseSync(store.path);
  other.exec('BEGIN IMMEDIATE');
  const first = store.chatInbox.accept(chatMessage('b'));
  await new Promise((resolve) => setImmediate(resolve));
  const second = store.chatInbox.accept(chatMessage('c'));
  other.exec('COMMIT');
  other.close();
  assert.deepEqual(await Promise.all([first, second]), ['accepted', 'accepted']);
  assert.deepEqual(
    (await store.chatInbox.open()).map(({ eventId }) => eventId),
    ['a', 'b', 'c'],
  );
});

test('a store that is closed has done what it was asked for', async (t) => {
  const store = await temporaryStore(t);
  const accepted = store.chatInbox.accept(chatMessage('a'));
  const ended = store.chatInbox.end([1], 'done', [reply('r')]);
  await store.close();
  assert.deepEqual([await accepted, await ended], ['accepted', ['r']]);
  await assert.rejects(store.chatInbox.accept(chatMessage('b')));
});

function recreated(column: string): string {
  return `CREATE TABLE kept AS SELECT * FROM delivery_obligations; DROP TABLE delivery_obligations;
    CREATE TABLE delivery_obligations (obligation_id TEXT PRIMARY KEY, session_key TEXT NOT NULL, platform TEXT NOT NULL,
      chat_id TEXT NOT NULL, thread_id TEXT, content TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL,
      created_at REAL NOT NULL, updated_at REAL NOT NULL, owner_pid INTEGER, owner_started_at INTEGER, last_error TEXT,
      ${column});
    INSERT INTO delivery_obligations SELECT *, 'x' FROM kept; DROP TABLE kept`;
}

/** A store whose connection can be told how much room there is. */
async function smallStore(
  t: TestContext,
  options?: WaitOptions,
): Promise<{ db: Connection; store: SqliteSessionStore }> {
  const db = await Connection.open(join(temporaryDirectory(t), 'state.db'), options);
  const { fullText } = await openSchema(db);
  const store = new SqliteSessionStore(db, new FullTextIndex(fullText), Date);
  t.after(() => store.close());
  return { db, store };
}
