/** Bundled skills in a home: brought, kept up to date, and left alone where the user decided otherwise. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { optIn, optOut, resetBundled } from '../../src/skill-hub/bundled/change.ts';
import { readLedger } from '../../src/skill-hub/bundled/ledger.ts';
import { isInSync } from '../../src/skill-hub/bundled/paths.ts';
import { md5OfTree } from '../../src/skill-hub/bundled/skill-tree.ts';
import { syncBundledSkills } from '../../src/skill-hub/bundled/sync.ts';
import { temporaryHome } from '../config/temporary-home.ts';

function setUp(t: TestContext) {
  const { home } = temporaryHome(t);
  const folder = join(home.path, '..', 'bundle');
  const places = { homePath: home.path, folder, version: '1' };
  const write = (base: string, path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  const bundle = (name: string, text: string): void =>
    write(folder, `dev/${name}/SKILL.md`, `---\nname: ${name}\ndescription: d\n---\n${text}\n`);
  const inHome = (path: string): string => join(home.path, 'skills', path);
  const text = (name: string): string => readFileSync(inHome(`dev/${name}/SKILL.md`), 'utf8');
  bundle('one', 'first');
  bundle('two', 'first');
  write(folder, 'dev/one/scripts/run.sh', 'echo 1\n');
  write(folder, 'dev/DESCRIPTION.md', '---\ndescription: For work\n---\n');
  return { places, folder, bundle, write, inHome, text, sync: () => syncBundledSkills(places) };
}

test('a fresh home gets every bundled skill with its files and its category, and a ledger of hashes', async (t) => {
  const { sync, places, inHome, folder } = setUp(t);
  assert.deepEqual((await sync()).added, ['one', 'two']);
  assert.equal(readFileSync(inHome('dev/one/scripts/run.sh'), 'utf8'), 'echo 1\n');
  assert.ok(existsSync(inHome('dev/DESCRIPTION.md')));
  const ledger = readFileSync(inHome('.bundled_manifest'), 'utf8');
  assert.equal(ledger, `one:${md5OfTree(join(folder, 'dev/one'))}\ntwo:${md5OfTree(join(folder, 'dev/two'))}\n`);
  assert.ok(isInSync(places.homePath, folder, '1'));
  assert.ok(!isInSync(places.homePath, folder, '2'), 'another version looks again');
  assert.ok(!existsSync(inHome('.bundled_staging')));
});

test('a new version replaces what the user left as it was, and nothing else', async (t) => {
  const { sync, bundle, inHome, text, write } = setUp(t);
  await sync();
  write(inHome('.'), 'dev/one/SKILL.md', '---\nname: one\ndescription: d\n---\nmine\n');
  bundle('one', 'second');
  bundle('two', 'second');
  const report = await sync();
  assert.deepEqual([report.updated, report.userModified], [['two'], ['one']]);
  assert.match(text('one'), /mine/);
  assert.match(text('two'), /second/);
});

test('a deleted skill is not brought back until it is reset', async (t) => {
  const { sync, bundle, inHome, places } = setUp(t);
  await sync();
  rmSync(inHome('dev/one'), { recursive: true });
  bundle('one', 'second');
  assert.deepEqual((await sync()).userDeleted, ['one']);
  assert.ok(!existsSync(inHome('dev/one')));
  await resetBundled(places, 'one', false);
  assert.deepEqual((await sync()).added, ['one']);
});

test('restoring an edited skill gives the pristine copy', async (t) => {
  const { sync, inHome, text, write, places, folder } = setUp(t);
  await sync();
  write(inHome('.'), 'dev/one/SKILL.md', 'mine');
  write(inHome('.'), 'dev/one/extra.md', 'mine');
  await resetBundled(places, 'one', true);
  assert.match(text('one'), /first/);
  assert.equal(md5OfTree(inHome('dev/one')), md5OfTree(join(folder, 'dev/one')));
  assert.deepEqual((await sync()).userModified, []);
});

test('a skill that was there first stays, wherever it lies', async (t) => {
  const { sync, inHome, text, write } = setUp(t);
  write(inHome('.'), 'dev/one/SKILL.md', 'mine');
  write(inHome('.'), 'elsewhere/two/SKILL.md', 'mine too');
  const report = await sync();
  assert.deepEqual(report.added, []);
  assert.equal(text('one'), 'mine');
  assert.ok(!existsSync(inHome('dev/two')));
  assert.deepEqual((await sync()).userModified, ['one']);
});

test('lines of the first ledger format follow the copy on disk; names that are gone are forgotten', async (t) => {
  const { sync, inHome, write, places } = setUp(t);
  write(inHome('.'), 'dev/one/SKILL.md', 'mine');
  write(inHome('.'), '.bundled_manifest', 'one\ngone:abc\n');
  const report = await sync();
  assert.deepEqual(report.dropped, ['gone']);
  assert.equal(readLedger(places.homePath).get('one'), md5OfTree(inHome('dev/one')));
});

test('an empty bundle forgets nothing', async (t) => {
  const { sync, places, folder } = setUp(t);
  await sync();
  rmSync(folder, { recursive: true });
  assert.deepEqual((await sync()).dropped, []);
  assert.equal(readLedger(places.homePath).size, 2);
});

test('opting out adds nothing more, and removes only what is byte for byte as it came', async (t) => {
  const { sync, inHome, write, places } = setUp(t);
  await sync();
  write(inHome('.'), 'dev/one/SKILL.md', 'mine');
  assert.deepEqual((await optOut(places, true)).removed, ['two']);
  assert.ok(existsSync(inHome('dev/one')) && !existsSync(inHome('dev/two')));
  assert.equal((await sync()).optedOut, true);
  assert.ok(!existsSync(inHome('dev/two')));
  assert.equal(optIn(places.homePath), true);
  assert.deepEqual((await sync()).added, ['two']);
});

test('what a killed process moved aside is put back before anything is judged', async (t) => {
  const { sync, inHome, bundle, text } = setUp(t);
  await sync();
  // Killed between the two renames of an update.
  mkdirSync(inHome('.bundled_staging/old/dev'), { recursive: true });
  mkdirSync(inHome('.bundled_staging/new/dev/one'), { recursive: true });
  renameSync(inHome('dev/one'), inHome('.bundled_staging/old/dev/one'));
  bundle('one', 'second');
  assert.deepEqual((await sync()).updated, ['one']);
  assert.match(text('one'), /second/);
});

test('an update that was placed but not recorded is recognised by its bytes', async (t) => {
  const { sync, inHome, bundle, folder, places } = setUp(t);
  await sync();
  bundle('one', 'second');
  writeFileSync(inHome('dev/one/SKILL.md'), readFileSync(join(folder, 'dev/one/SKILL.md')));
  assert.deepEqual((await sync()).userModified, []);
  assert.equal(readLedger(places.homePath).get('one'), md5OfTree(join(folder, 'dev/one')));
});

test('several processes at once bring every skill once', async (t) => {
  const { sync, places } = setUp(t);
  const reports = await Promise.all([sync(), sync(), sync()]);
  assert.equal(reports.flatMap(({ added }) => added).length, 2);
  assert.equal(readLedger(places.homePath).size, 2);
});
