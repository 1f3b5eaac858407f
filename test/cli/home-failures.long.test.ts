/** What hermes says when its home, its disk or its session store is not in order: the answer is given, nothing is half-done. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test, type TestContext } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { hasStackTrace, hermes, linesOf, makePlace, type Place, type Run, shell } from './hermes-process.ts';
import { integrity, storedMessages, storedSessions } from './stored.ts';

const pong = { text: 'PONG' };
const canMount = spawnSync('sh', ['-c', "unshare -m sh -c 'mount -t tmpfs -o size=64k tmpfs /tmp'"]).status === 0;
const needsMount = canMount ? false : 'needs the right to mount a file system';

/** Empty stdout, exit code 1, one line on stderr (and hints below it), no stack trace. */
function assertOneLine(run: Run, expected: RegExp): void {
  assert.deepEqual([run.code, run.stdout], [1, ''], run.stderr);
  assert.match(linesOf(run.stderr)[0] ?? '', expected);
  assert.ok(!hasStackTrace(run.stderr), run.stderr);
  assert.ok(linesOf(run.stderr).length <= 3, run.stderr);
}

/** Another process that holds the exclusive lock of the session database until the test is over. */
async function lockDatabase(t: TestContext, place: Place): Promise<void> {
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    const db = new DatabaseSync(process.argv[1]);
    db.exec('BEGIN EXCLUSIVE');
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['-e', script, join(place.home, 'state.db')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
}

suite('home', { concurrency: 2 }, () => {
  test('a home that cannot exist: one line with the path and the way out', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const run = await hermes(place, ['-z', 'hi'], { env: { HERMES_HOME: '/dev/null/x' } });
    assertOneLine(run, /\/dev\/null\/x/);
    assert.match(run.stderr, /HERMES_HOME/);
    assert.equal(server.requests.length, 0);
  });

  test('an empty read-only home: one line that says so', { skip: needsMount }, async (t) => {
    const place = makePlace(t);
    const run = await shell(
      place,
      `exec unshare -m sh -c 'mount -t tmpfs -o ro tmpfs "$HERMES_HOME" && exec "$node" "$main" --provider demo -z hi'`,
    );
    assertOneLine(run, /read-only/);
    assert.match(run.stderr, /HERMES_HOME/);
  });

  test('a complete read-only home: the answer is given, unsaved', { skip: needsMount }, async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'first']);
    const before = readdirSync(place.home).sort();
    const run = await shell(
      place,
      `exec unshare -m sh -c 'mount --bind "$HERMES_HOME" "$HERMES_HOME" && mount -o remount,ro,bind "$HERMES_HOME" &&
        exec "$node" "$main" -z second'`,
    );
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n'], run.stderr);
    assert.match(run.stderr, /Session store unavailable/);
    assert.ok(!hasStackTrace(run.stderr));
    assert.deepEqual(readdirSync(place.home).sort(), before);
    assert.equal(storedMessages(place.home).length, 2);
  });

  test('a disk that is full from the start: the answer is given, unsaved', { skip: needsMount }, async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const run = await shell(
      place,
      `exec unshare -m sh -c 'cp "$HERMES_HOME/config.yaml" "$TMPDIR/kept" &&
        mount -t tmpfs -o size=64k tmpfs "$HERMES_HOME" && cp "$TMPDIR/kept" "$HERMES_HOME/config.yaml" &&
        "$node" "$main" -z hi; code=$?; cmp "$TMPDIR/kept" "$HERMES_HOME/config.yaml"; exit $code'`,
    );
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n'], run.stderr);
    assert.match(run.stderr, /Session store unavailable: .*(space|full)/);
    assert.ok(!hasStackTrace(run.stderr), run.stderr);
  });

  test('a disk that fills up: one line, and the database stays sound', { skip: needsMount }, async (t) => {
    await using server = await startModelServer({
      respond: () => ({ text: 'x'.repeat(300_000), pieceChars: 300_000 }),
    });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'while there is room']);
    const run = await shell(
      place,
      `exec unshare -m sh -c 'mkdir "$TMPDIR/kept" && cp -a "$HERMES_HOME/." "$TMPDIR/kept" &&
        mount -t tmpfs -o size=4m tmpfs "$HERMES_HOME" && cp -a "$TMPDIR/kept/." "$HERMES_HOME" &&
        head -c 100m /dev/zero > "$HERMES_HOME/filler" 2>/dev/null; truncate -s -150k "$HERMES_HOME/filler";
        "$node" "$main" -z "no room"; code=$?;
        rm "$HERMES_HOME/filler"; rm -r "$TMPDIR/kept"; cp -a "$HERMES_HOME" "$TMPDIR/after"; exit $code'`,
    );
    assertOneLine(run, /space/);
    const after = join(place.env['TMPDIR'] ?? '', 'after');
    assert.equal(integrity(after), 'ok');
    for (const session of storedSessions(after)) {
      assert.equal(storedMessages(after).filter((row) => row.session_id === session.id).length, session.message_count);
    }
  });
});

suite('session store', { concurrency: 3 }, () => {
  const unavailable = /Session store unavailable/;

  test('a database that another process holds: a warning, and the answer', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'first']);
    await lockDatabase(t, place);
    const run = await hermes(place, ['-z', 'second']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n'], run.stderr);
    assert.match(linesOf(run.stderr)[0] ?? '', unavailable);
    assert.match(run.stderr, /locked/);
    assert.ok(linesOf(run.stderr).length <= 2, run.stderr);
  });

  test('a database that was cut to nothing: the answer, and how to get the conversations back', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'first']);
    for (const end of ['-wal', '-shm']) rmSync(join(place.home, `state.db${end}`), { force: true });
    place.write('state.db', '');
    const run = await hermes(place, ['-z', 'second']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n'], run.stderr);
    assert.match(run.stderr, /Session store unavailable: .*is empty.*backup.*hermes sessions repair.*is not saved/);
    assert.equal(statSync(join(place.home, 'state.db')).size, 0);
  });

  test('a damaged database: a warning, the answer, and the file as it was', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    const bytes = Buffer.from('this is not a database, and never was one. '.repeat(200));
    const path = place.write('state.db', bytes);
    const run = await hermes(place, ['-z', 'hi']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n'], run.stderr);
    assert.match(linesOf(run.stderr)[0] ?? '', unavailable);
    assert.ok(!hasStackTrace(run.stderr));
    assert.deepEqual(readFileSync(path), bytes);
    const resumed = await hermes(place, ['-c', '-z', 'hi']);
    assert.deepEqual([resumed.code, resumed.stdout], [1, '']);
    assert.match(resumed.stderr, unavailable);
  });

  test('a database of a newer version that cannot be used: a warning, and the answer', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'first']);
    const path = join(place.home, 'state.db');
    const db = new DatabaseSync(path);
    db.exec('UPDATE schema_version SET version = 99; ALTER TABLE messages ADD COLUMN must TEXT');
    db.exec(
      "CREATE TRIGGER only_new BEFORE INSERT ON messages WHEN NEW.must IS NULL BEGIN SELECT RAISE(ABORT, 'too old'); END",
    );
    db.close();
    const run = await hermes(place, ['-z', 'second']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n'], run.stderr);
    assert.match(linesOf(run.stderr)[0] ?? '', unavailable);
    assert.match(run.stderr, /99/);
    assert.equal(storedMessages(place.home).length, 2);
  });

  test('a database of a newer version that can be used is used, and keeps its version', async (t) => {
    await using server = await startModelServer({ respond: () => pong });
    const place = makePlace(t, server);
    await hermes(place, ['-z', 'first']);
    const db = new DatabaseSync(join(place.home, 'state.db'));
    t.after(() => db.isOpen && db.close());
    db.exec('UPDATE schema_version SET version = 99; ALTER TABLE sessions ADD COLUMN colour TEXT');
    db.close();
    const run = await hermes(place, ['-c', '-z', 'second']);
    assert.deepEqual([run.code, run.stdout], [0, 'PONG\n']);
    assert.match(run.stderr, /^[^\n]*schema version 99, newer than the 22[^\n]*\n$/);
    assert.equal(storedMessages(place.home).length, 4);
    const after = new DatabaseSync(join(place.home, 'state.db'));
    assert.equal(after.prepare('SELECT version FROM schema_version').get()?.['version'], 99);
    after.close();
  });
});
