/** A store that lost its content, and one that can only be read. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { UserError } from '../../src/lib/errors.ts';
import { openSqliteSessionStore } from '../../src/sessions/sqlite/open.ts';
import { version11, rows } from './old-databases.ts';
import { execute, temporaryDirectory, temporaryStore } from './support.ts';

for (const sign of ['a journal with content', 'a backup of an upgrade', 'the note that it was begun'] as const) {
  test(`an empty file is refused when there is ${sign}`, async (t) => {
    const path = join(temporaryDirectory(t), 'state.db');
    mkdirSync(join(dirname(path), 'sessions'));
    if (sign === 'the note that it was begun') {
      const store = await openSqliteSessionStore(path);
      await store.close();
      truncateSync(path);
    } else {
      writeFileSync(path, '');
      writeFileSync(sign === 'a journal with content' ? `${path}-wal` : `${path}.v11.backup`, 'x');
    }
    await assert.rejects(openSqliteSessionStore(path), (error: unknown) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /state\.db is empty, although there was a store/);
      assert.match(error.hint ?? '', /hermes sessions repair/);
      return true;
    });
  });
}

test('an empty file without any sign of a store is begun: a process may have been killed right after it made the file', async (t) => {
  const path = join(temporaryDirectory(t), 'state.db');
  writeFileSync(path, '');
  const store = await temporaryStore(t, { path });
  assert.deepEqual(await store.sessions.list(), []);
});

test('a home that cannot be written can be read, and nothing is left in it', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'state.db');
  const store = await openSqliteSessionStore(path);
  await store.sessions.create({ id: 'mine', source: 'cli' });
  await store.messages.append('mine', { role: 'user', content: 'the walrus' });
  await store.close();
  const before = readdirSync(directory);
  chmodSync(path, 0o444);
  chmodSync(directory, 0o555);
  const script = `const { openSqliteSessionStore } = await import(${JSON.stringify(new URL('../../src/sessions/sqlite/open.ts', import.meta.url).href)});
    const store = await openSqliteSessionStore(${JSON.stringify(path)}, { forReading: 'if it must be' });
    const [row] = await store.sessions.list();
    const [hit] = await store.search.messages({ query: 'walrus' });
    console.log(row.id, hit.snippet, (await store.maintenance.stats()).messages);
    await store.sessions.setTitle('mine', 'T').catch((error) => console.log(error.message));
    await store.close();`;
  // Root may write anywhere, so it tries as somebody else.
  const who = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    cwd: '/',
    ...who,
  });
  chmodSync(directory, 0o755);
  assert.match(
    run.stdout,
    /^mine the >>>walrus<<< 1\nCannot store the title: .*not accessible for writing/,
    run.stderr,
  );
  assert.deepEqual(readdirSync(directory), before);
});

test('an old store in a home that cannot be written is read, searched, and left as it is', async (t) => {
  const directory = temporaryDirectory(t);
  const path = join(directory, 'state.db');
  execute(path, version11 + rows);
  chmodSync(path, 0o444);
  chmodSync(directory, 0o555);
  const before = readFileSync(path);
  const temporary = temporaryDirectory(t);
  chmodSync(temporary, 0o777);
  const script = `const { openSqliteSessionStore } = await import(${JSON.stringify(new URL('../../src/sessions/sqlite/open.ts', import.meta.url).href)});
    const store = await openSqliteSessionStore(${JSON.stringify(path)}, { forReading: 'if it must be' });
    const row = await store.sessions.get('s');
    const [hit] = await store.search.messages({ query: 'quokka' });
    console.log(row.id, hit.role, (await store.messages.conversation('s')).length);
    await store.sessions.setTitle('s', 'T').catch((error) => console.log(error.message));
    await store.close();`;
  const who = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    cwd: '/',
    env: { TMPDIR: temporary },
    ...who,
  });
  chmodSync(directory, 0o755);
  assert.match(run.stdout, /^s assistant 3\nCannot write to the session store: .*older version/, run.stderr);
  assert.deepEqual(readdirSync(directory), ['state.db']);
  assert.ok(readFileSync(path).equals(before));
  assert.deepEqual(readdirSync(temporary), [], 'no copy of conversations stays behind');
});
