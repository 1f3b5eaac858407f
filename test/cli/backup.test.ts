/** Copies of a home: written, looked into, brought back. */
import assert from 'node:assert/strict';
import { createWriteStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { suite, test } from 'node:test';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { hermes, makePlace, ok, type Place } from './hermes-process.ts';

async function namesIn(file: string): Promise<string[]> {
  const zip = await openPromise(file);
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) names.push(entry.fileName);
  return names.sort();
}

async function writeZip(
  path: string,
  files: Readonly<Record<string, string>>,
  rename = (text: Buffer) => text,
): Promise<void> {
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  writeFileSync(path, rename(readFileSync(path)));
}

/** A database whose newest row is in the journal alone, held open. */
function openDatabase(place: Place, name = 'state.db'): DatabaseSync {
  const database = new DatabaseSync(join(place.home, name));
  database.exec('PRAGMA journal_mode=WAL; CREATE TABLE IF NOT EXISTS kept (text TEXT)');
  return database;
}

function rowsOf(path: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare('SELECT text FROM kept')
      .all()
      .map((row) => row['text']);
  } finally {
    database.close();
  }
}

suite('hermes backup and import', { concurrency: 2 }, () => {
  test('a backup holds the home and its profiles without caches, and comes back whole in another home', async (t) => {
    const place = makePlace(t);
    const files = {
      'config.yaml': 'model: m\n',
      '.env': 'K=1\n',
      'profiles/a/SOUL.md': 'a\n',
      'skills/s/hermes-agent/x.md': 's',
    };
    for (const [name, text] of Object.entries(files)) place.write(name, text);
    const left = [
      'checkpoints/c',
      'node_modules/n',
      'hermes-agent/h',
      'skills/__pycache__/p',
      'a.pyc',
      'gateway.pid',
      'backups/b',
      'cache/bws_cache.json',
      'profiles/a/cache/.op_cache.json.42.tmp',
    ];
    for (const name of left) place.write(name, 'left out');
    const database = openDatabase(place);
    t.after(() => database.close());
    database.exec("INSERT INTO kept VALUES ('in the journal')");
    ok(await hermes(place, ['backup', '-o', 'x.zip']));
    const file = join(place.work, 'x.zip');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const names = await namesIn(file);
    for (const name of Object.keys(files)) assert.ok(names.includes(name), `${name} in ${names.join()}`);
    for (const name of [...left, 'state.db-wal', 'state.db-shm']) assert.ok(!names.includes(name), name);

    const other = makePlace(t);
    const run = ok(await hermes(other, ['import', file]));
    assert.match(run.stdout, /files? put back/);
    for (const [name, text] of Object.entries(files)) assert.equal(other.read(name), text, name);
    assert.deepEqual(rowsOf(join(other.home, 'state.db')), ['in the journal']);
    for (const name of ['.env', 'state.db']) assert.equal(statSync(join(other.home, name)).mode & 0o777, 0o600, name);
    assert.ok(existsSync(join(other.home, '..', '.local', 'bin', 'a')));
  });

  test('an import asks before it replaces, keeps what it replaced, and leaves a database open elsewhere usable', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', 'model: old\n');
    const database = openDatabase(place);
    t.after(() => database.close());
    database.exec("INSERT INTO kept VALUES ('old')");
    const made = makePlace(t);
    const source = openDatabase(made);
    source.exec("INSERT INTO kept VALUES ('new')");
    source.close();
    made.write('config.yaml', 'model: new\n');
    made.write('gateway_state.json', '{}');
    ok(await hermes(made, ['backup', '-o', join(place.work, 'x.zip')]));

    const no = await hermes(place, ['import', 'x.zip']);
    assert.equal(no.code, 1);
    assert.equal(place.read('config.yaml'), 'model: old\n');
    ok(await hermes(place, ['import', 'x.zip', '-f']));
    assert.equal(place.read('config.yaml'), 'model: new\n');
    assert.equal(existsSync(join(place.home, 'gateway_state.json')), false);
    assert.deepEqual(
      database
        .prepare('SELECT text FROM kept')
        .all()
        .map((row) => row['text']),
      ['new'],
    );
    const [kept = ''] = readdirSync(join(place.home, 'backups'));
    assert.equal(place.read(`backups/${kept}/config.yaml`), 'model: old\n');
    assert.deepEqual(rowsOf(join(place.home, 'backups', kept, 'state.db')), ['old']);
    assert.deepEqual(
      readdirSync(place.home).filter((name) => name.startsWith('.import')),
      [],
    );
  });

  test('a zip that is no backup, is broken or has a way out changes nothing', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', 'model: mine\n');
    const at = (name: string): string => join(place.work, name);
    await writeZip(at('other.zip'), { 'readme.txt': 'x' });
    const swap = (from: string, to: string) => (bytes: Buffer) =>
      Buffer.from(bytes.toString('latin1').replaceAll(from, to), 'latin1');
    await writeZip(at('up.zip'), { 'config.yaml': 'evil\n', 'AA/escape': 'x' }, swap('AA/escape', '../escape'));
    await writeZip(at('root.zip'), { 'config.yaml': 'evil\n', 'AAtmp/zz': 'x' }, swap('AAtmp/zz', '/tmp/zzz'));
    await writeZip(at('cut.zip'), { 'config.yaml': 'evil\n' }, (bytes) => bytes.subarray(0, bytes.length - 30));
    for (const name of ['other', 'up', 'root', 'cut', 'missing']) {
      const run = await hermes(place, ['import', `${name}.zip`, '-f']);
      assert.deepEqual([run.code, run.stdout], [1, ''], name);
    }
    assert.equal(place.read('config.yaml'), 'model: mine\n');
    assert.equal(existsSync(join(place.home, '..', 'escape')), false);
  });

  test('a folder around everything is taken off', async (t) => {
    const place = makePlace(t);
    await writeZip(join(place.work, 'x.zip'), {
      '.hermes/config.yaml': 'model: m\n',
      '.hermes/memories/MEMORY.md': 'a',
    });
    ok(await hermes(place, ['import', 'x.zip']));
    assert.equal(place.read('config.yaml'), 'model: m\n');
    assert.equal(place.read('memories/MEMORY.md'), 'a');
  });

  test('a quick snapshot lists what it copied, and can be put back', async (t) => {
    const place = makePlace(t);
    assert.match(ok(await hermes(place, ['backup', '--quick'])).stdout, /No state files/);
    place.write('config.yaml', 'model: one\n');
    place.write('kanban/boards/b/board.json', '{}');
    place.write('kanban/boards/b/workspaces/w', 'left out');
    const database = openDatabase(place);
    t.after(() => database.close());
    database.exec("INSERT INTO kept VALUES ('then')");
    ok(await hermes(place, ['backup', '--quick', '--label', 't1']));
    const [id = ''] = readdirSync(join(place.home, 'state-snapshots'));
    assert.match(id, /^\d{8}-\d{6}-t1$/);
    const manifest = JSON.parse(place.read(`state-snapshots/${id}/manifest.json`)) as {
      files: object;
      file_count: number;
    };
    assert.deepEqual(Object.keys(manifest.files).sort(), ['config.yaml', 'kanban/boards/b/board.json', 'state.db']);
    assert.equal(manifest.file_count, 3);
    place.write('config.yaml', 'model: two\n');
    database.exec("INSERT INTO kept VALUES ('later')");
    ok(await hermes(place, ['backup', 'restore', '--state', id, '-y']));
    assert.equal(place.read('config.yaml'), 'model: one\n');
    assert.deepEqual(
      database
        .prepare('SELECT text FROM kept')
        .all()
        .map((row) => row['text']),
      ['then'],
    );
    assert.ok(readdirSync(join(place.home, 'state-snapshots')).some((name) => name.endsWith('-before-restore')));
    const none = await hermes(place, ['backup', 'restore', '--state', '../..', '-y']);
    assert.equal(none.code, 1);
  });
});
