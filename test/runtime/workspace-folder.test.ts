/** The folder of the work, and which repositories git may be let work in with all rights. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { programFolder, trustRepository, workspaceFolder } from '../../src/runtime/workspace-folder.ts';

function makeHome(t: TestContext): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-test-')));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  for (const folder of ['app/.git', 'app/src', 'plain/sub', 'bare/objects']) {
    mkdirSync(join(home, folder), { recursive: true });
  }
  writeFileSync(join(home, 'bare', 'HEAD'), '');
  symlinkSync(join(home, 'app', 'src'), join(home, 'link'));
  return home;
}

test('it is the root of the repository, else the folder itself, and never one that holds the home', (t) => {
  const home = makeHome(t);
  assert.equal(workspaceFolder(join(home, 'app', 'src'), home), join(home, 'app'));
  assert.equal(workspaceFolder(join(home, 'link'), home), join(home, 'app'));
  assert.equal(workspaceFolder(join(home, 'plain', 'sub'), home), join(home, 'plain', 'sub'));
  assert.equal(workspaceFolder(home, home), home);
  for (const folder of ['/', '/etc', '/usr/lib', join(home, '..')])
    assert.equal(workspaceFolder(folder, home), '/', folder);
});

test('a repository is trusted that was there before the first command, and where there is none', (t) => {
  const home = makeHome(t);
  const inApp = trustRepository(join(home, 'app'));
  assert.ok(inApp(join(home, 'app', 'src')) && inApp(join(home, 'plain')));
  mkdirSync(join(home, 'app', 'src', 'sub', '.git'), { recursive: true });
  mkdirSync(join(home, 'plain', '.git'));
  for (const folder of ['app/src/sub', 'plain/sub', 'bare']) assert.ok(!inApp(join(home, folder)), folder);
  const inPlain = trustRepository(join(home, 'plain', 'sub'));
  mkdirSync(join(home, 'plain', 'sub', '.git'));
  assert.ok(!inPlain(join(home, 'plain', 'sub')), 'made since');
});

test('our own program is found from wherever it runs', () => {
  assert.ok(programFolder().length > 1);
});
