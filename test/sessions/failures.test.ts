/** What happens when the file cannot be used: one clear error, and the file stays as it is. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { openSqliteSessionStore } from '../../src/sessions/sqlite/open.ts';
import { useWriteAheadLog } from '../../src/lib/sqlite.ts';
import { durability } from '../../src/sessions/sqlite/journal.ts';
import { storageError } from '../../src/sessions/sqlite/storage-error.ts';
import { temporaryDirectory, temporaryStore, user } from './support.ts';

const impatient = { busyTimeoutMs: 5, attempts: 3 };

test('a write waits for another process and succeeds when that lets go', async (t) => {
  const store = await temporaryStore(t, { busyTimeoutMs: 5 });
  await store.sessions.create({ id: 's', source: 'cli' });
  const other = new DatabaseSync(store.path);
  other.exec('BEGIN IMMEDIATE');
  const first = store.messages.append('s', user('first'));
  const second = store.messages.append('s', user('second'));
  assert.deepEqual(await store.messages.conversation('s'), [], 'reading does not wait');
  other.exec('COMMIT');
  other.close();
  await Promise.all([first, second]);
  assert.deepEqual(await store.messages.conversation('s'), [user('first'), user('second')]);
});

test('a database that stays locked gives one error that names it', async (t) => {
  const store = await temporaryStore(t, impatient);
  await store.sessions.create({ id: 's', source: 'cli' });
  const other = new DatabaseSync(store.path);
  other.exec('BEGIN EXCLUSIVE');
  await assert.rejects(store.messages.append('s', user('x')), isUserError(/locked by another process/, store.path));
  other.exec('ROLLBACK');
  other.close();
  await store.messages.append('s', user('afterwards'));
});

test('a database that is locked while it is opened gives the same error', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  const other = new DatabaseSync(path);
  other.exec('CREATE TABLE x (y); BEGIN EXCLUSIVE');
  await assert.rejects(openSqliteSessionStore(path, impatient), isUserError(/locked by another process/, path));
  other.close();
});

test('a file that is no database is refused and left as it is', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  writeFileSync(path, 'this is not a database, but somebody may want it back'.repeat(50));
  const before = readFileSync(path);
  await assert.rejects(openSqliteSessionStore(path), isUserError(/is damaged/, path));
  assert.ok(readFileSync(path).equals(before));
  assert.deepEqual(readdirSync(dirname(path)), ['state.db']);
});

test('an overwritten page is reported when it is met, and the integrity check finds it', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  const first = await openSqliteSessionStore(path);
  await first.sessions.create({ id: 's', source: 'cli' });
  for (let index = 0; index < 200; index += 1) await first.messages.append('s', user(`message ${index} `.repeat(50)));
  await first.close();
  const bytes = readFileSync(path);
  // The schema stands at the beginning and stays readable.
  bytes.fill(0x5a, Math.floor(bytes.length / 2), Math.floor((bytes.length * 3) / 4));
  writeFileSync(path, bytes);
  const store = await temporaryStore(t, { path });
  const outcome = await store.maintenance.checkIntegrity().catch((error: unknown) => [String(error)]);
  assert.ok(outcome.length > 0);
});

test('an index that another SQLite cut short at a NUL character is no damage, any other mismatch is', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  await store.messages.append('s', user('before'));
  const shorten = (text: string): void => {
    const db = new DatabaseSync(store.path, { defensive: false });
    db.prepare('UPDATE messages_fts_trigram_content SET c0 = ?').run(text);
    db.close();
  };
  shorten('before and after');
  assert.match((await store.maintenance.checkIntegrity()).join(), /malformed inverted index/);
  shorten('before\0and after');
  assert.deepEqual(await store.maintenance.checkIntegrity(), []);
  await store.maintenance.rebuildIndexes();
  assert.deepEqual(await store.maintenance.checkIntegrity(), []);
});

test('a damaged search index is built anew by the first write that meets it', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  const first = await openSqliteSessionStore(path);
  await first.sessions.create({ id: 's', source: 'cli' });
  await first.messages.append('s', user('before'));
  await first.close();
  const db = new DatabaseSync(path, { defensive: false });
  // The structure record, without which the index takes nothing.
  db.exec("UPDATE messages_fts_data SET block = x'ffffffffffffffff' WHERE id = 10");
  db.close();
  const store = await temporaryStore(t, { path });
  await store.messages.append('s', user('needle'));
  assert.deepEqual(await store.messages.conversation('s'), [user('before'), user('needle')]);
  for (const query of ['before', 'needle']) assert.equal((await store.search.messages({ query })).length, 1, query);
  assert.deepEqual(await store.maintenance.checkIntegrity(), []);
});

test('where the file system takes no write-ahead log the database is written without one, unless others have it', () => {
  const refuse = (errcode: number, mode: string) => {
    const run: string[] = [];
    const db = {
      run,
      exec(sql: string) {
        run.push(sql);
        if (sql.endsWith('WAL')) throw Object.assign(new Error('locking protocol'), { errcode });
      },
      get: () => ({ journal_mode: mode }),
    };
    return db;
  };
  const nfs = refuse(15, 'delete');
  assert.equal(useWriteAheadLog(nfs), false);
  assert.deepEqual(nfs.run, ['PRAGMA journal_mode = WAL', 'PRAGMA journal_mode = DELETE']);
  assert.equal(useWriteAheadLog(refuse(23, 'delete')), false);
  assert.throws(() => useWriteAheadLog(refuse(15, 'wal')));
  assert.throws(() => useWriteAheadLog(refuse(10, 'delete')));
  const told = storageError('/x/state.db', 'open the session store', Object.assign(new Error('why'), { errcode: 15 }));
  assert.match(told instanceof UserError ? (told.hint ?? '') : '', /NFS, SMB or FUSE/);
});

test('on macOS a checkpoint reaches the disk before it counts', () => {
  assert.equal(durability('darwin'), 'PRAGMA checkpoint_fullfsync = 1; PRAGMA synchronous = FULL');
  assert.equal(durability('linux'), 'PRAGMA synchronous = NORMAL');
});

test('a directory in the place of the database', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  mkdirSync(path);
  await assert.rejects(openSqliteSessionStore(path), isUserError(/not accessible/, path));
});

test('a directory that does not exist', async (t) => {
  const path = join(temporaryDirectory(t), 'nowhere', 'state.db');
  await assert.rejects(openSqliteSessionStore(path), isUserError(/not accessible/, path));
});

test('files and directories without permission are named', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-denied-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'state.db');
  const store = await openSqliteSessionStore(path);
  await store.close();
  chmodSync(path, 0o444);
  chmodSync(directory, 0o555);
  const source = new URL('../../src/sessions/sqlite/open.ts', import.meta.url).href;
  const attempt = (target: string): string => {
    const script = `import(${JSON.stringify(source)}).then((m) => m.openSqliteSessionStore(${JSON.stringify(target)}))
      .then(() => console.log('opened'), (error) => console.log(error.name, error.message, error.hint))`;
    // Root may write anywhere, so it tries as somebody else.
    const who = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', cwd: '/', ...who }).stdout;
  };
  assert.match(attempt(path), /^UserError .*state\.db is not readable and writable \(permission denied\)/);
  assert.match(attempt(join(directory, 'new.db')), /^UserError .*new\.db is not accessible/);
  chmodSync(directory, 0o755);
});

test('a full disk and a failing one name the file and what to do', () => {
  for (const [errcode, message] of [
    [13, /no space is left for the session database \/x\/state\.db/],
    [10 | (3 << 8), /reading or writing the session database \/x\/state\.db failed/],
    [8, /\/x\/state\.db is not accessible/],
    [11 | (1 << 8), /\/x\/state\.db is damaged/],
  ] as const) {
    const told = storageError('/x/state.db', 'save the conversation', Object.assign(new Error('why'), { errcode }));
    assert.ok(told instanceof UserError);
    assert.match(told.message, message);
    assert.ok(told.hint);
  }
});

test('a defect is not dressed up as a condition of the file', () => {
  const defect = Object.assign(new Error('no such column'), { errcode: 1 });
  assert.equal(storageError('/x', 'save', defect), defect);
});

test('a store that was closed does not write', async (t) => {
  const store = await temporaryStore(t);
  await store.sessions.create({ id: 's', source: 'cli' });
  const pending = store.messages.append('s', user('before'));
  await store.close();
  await pending;
  await store.close();
  await assert.rejects(store.messages.append('s', user('after')));
});

function isUserError(message: RegExp, path: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof UserError, String(error));
    assert.match(error.message, message);
    assert.ok(error.message.includes(path));
    assert.ok(!error.message.includes('\n'));
    assert.ok(error.hint);
    return true;
  };
}
