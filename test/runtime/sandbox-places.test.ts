/** What confined commands of a session see and change, for the places that a session can work in. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { coversOf } from '../../src/environments/local/sandbox/bubblewrap-arguments.ts';
import { createSandboxPlaces } from '../../src/runtime/sandbox-places.ts';
import { makeDirectory } from '../environments/support.ts';

/** How a path is seen inside: by the narrowest entry that it lies in. */
function look(home: string, cwd: string, path = '/usr/bin:/bin') {
  const hermes = join(home, '.hermes');
  const places = createSandboxPlaces({ homePath: hermes, root: hermes, userHomes: [home], cwd, path })();
  const covers = coversOf(places);
  return (inside: string): string =>
    covers.findLast(({ place }) => inside === place.path || inside.startsWith(`${place.path}/`))?.how ?? 'readOnly';
}

function makeHome(t: TestContext, files: readonly string[]): string {
  const home = join(makeDirectory(t), 'ann');
  for (const name of ['.hermes/.env', '.ssh/id', '.bashrc', ...files]) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), '');
  }
  return home;
}

test('a session in a folder below a repository may write all of the repository', (t) => {
  const home = makeHome(t, ['code/app/src/a.ts', 'code/app/.git/config', 'code/other/b.ts']);
  const seen = look(home, join(home, 'code/app/src'));
  assert.equal(seen(join(home, 'code/app/package.json')), 'writable');
  assert.equal(seen(join(home, 'code/app/.git/index')), 'writable');
  assert.equal(seen(join(home, 'code/app/.git/config')), 'readOnly');
  assert.equal(seen(join(home, 'code/other/b.ts')), 'readOnly');
  assert.equal(seen(join(home, '.ssh/id')), 'hidden');
  assert.equal(seen(join(home, '.hermes/.env')), 'hidden');
});

test('hooks that are missing cannot be planted: their folder is made and kept', (t) => {
  const home = makeHome(t, ['app/.git/config', 'app/sub/.git/config']);
  const seen = look(home, join(home, 'app'));
  assert.ok(existsSync(join(home, 'app/.git/hooks')));
  assert.equal(seen(join(home, 'app/.git/hooks/pre-commit')), 'readOnly');
  assert.equal(seen(join(home, 'app/sub/.git/config')), 'readOnly');
});

test('hooks and files that a configuration names are kept too', (t) => {
  const home = makeHome(t, ['app/.git/config', 'app/tools/hooks/pre-push', 'app/tools/more.cfg']);
  writeFileSync(
    join(home, 'app/.git/config'),
    '[core]\n\thooksPath = tools/hooks\n[include]\n\tpath = "../tools/more.cfg"\n',
  );
  const seen = look(home, join(home, 'app'));
  assert.equal(seen(join(home, 'app/tools/hooks/pre-push')), 'readOnly');
  assert.equal(seen(join(home, 'app/tools/more.cfg')), 'readOnly');
  assert.equal(seen(join(home, 'app/tools/else')), 'writable');
});

test('a session in the home writes its folders, and nothing that programs start with', (t) => {
  const home = makeHome(t, ['notes/a.md', '.config/x', 'bin/tool']);
  const seen = look(home, home);
  assert.equal(seen(join(home, 'notes/a.md')), 'writable');
  for (const kept of ['.bashrc', '.bash_login', '.config/x', 'bin/tool', 'new.txt']) {
    assert.equal(seen(join(home, kept)), 'readOnly', kept);
  }
});

test('a repository of the whole home does not open the home to a session below it', (t) => {
  const home = makeHome(t, ['.git/config', 'notes/a.md', 'other/b.md']);
  const seen = look(home, join(home, 'notes'));
  assert.deepEqual([seen(join(home, 'notes/a.md')), seen(join(home, 'other/b.md'))], ['writable', 'readOnly']);
});

test('above homes and in folders of the system nothing is written', (t) => {
  const home = makeHome(t, []);
  for (const cwd of ['/', '/etc', '/usr/lib', dirname(home)]) {
    assert.equal(look(home, cwd)(join(cwd, 'file')), cwd === dirname(home) ? 'writable' : 'readOnly', cwd);
  }
  assert.equal(look(home, dirname(home))(join(home, '.bashrc')), 'readOnly');
});

test('folders on the search path are kept also where they can be written', (t) => {
  const home = makeHome(t, ['app/.venv/bin/python', 'app/main.py']);
  const bin = join(home, 'app/.venv/bin');
  const seen = look(home, join(home, 'app'), `${bin}:/usr/bin`);
  assert.deepEqual([seen(join(bin, 'ls')), seen(join(home, 'app/.venv/lib/x'))], ['readOnly', 'writable']);
});

test('a linked working tree may write the repository it belongs to, one that only says so may not', (t) => {
  const home = makeHome(t, [
    'main/.git/config',
    'main/.git/HEAD',
    'main/.git/objects/x',
    'main/.git/worktrees/tree/HEAD',
    'tree/a',
    'liar/a',
  ]);
  const git = join(home, 'main/.git');
  writeFileSync(join(git, 'worktrees/tree/commondir'), '../..\n');
  writeFileSync(join(git, 'worktrees/tree/gitdir'), `${join(home, 'tree/.git')}\n`);
  for (const tree of ['tree', 'liar']) writeFileSync(join(home, tree, '.git'), `gitdir: ${git}/worktrees/tree\n`);
  const seen = look(home, join(home, 'tree'));
  assert.equal(seen(join(git, 'objects/new')), 'writable');
  for (const kept of ['config', 'hooks/pre-commit', 'worktrees/tree/commondir']) {
    assert.equal(seen(join(git, kept)), 'readOnly', kept);
  }
  assert.equal(seen(join(home, 'tree/.git')), 'readOnly');
  assert.equal(look(home, join(home, 'liar'))(join(git, 'objects/new')), 'readOnly');
});

test('caches are written where their program is there, and made when they are missing', (t) => {
  const home = makeHome(t, ['tools/npm', 'app/a']);
  const seen = look(home, join(home, 'app'), join(home, 'tools'));
  assert.equal(seen(join(home, '.npm/_cacache/x')), 'writable');
  assert.equal(existsSync(join(home, '.cache/uv')), false);
});

test('a home in a folder of the system is a home', (t) => {
  const directory = makeDirectory(t);
  const places = createSandboxPlaces({
    homePath: join(directory, '.hermes'),
    root: join(directory, '.hermes'),
    userHomes: ['/usr/lib'],
    cwd: '/usr/lib/os-release.d',
    path: '/usr/bin',
  })();
  assert.ok(places.writable.includes('/usr/lib/os-release.d'));
  assert.ok(!places.writable.includes('/usr/lib'));
});
