/** `hermes update` in a checkout of its own, with the real git and npm. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import type { CliContext } from '../../src/cli/command.ts';
import { update, type UpdateOptions } from '../../src/cli/update/update.ts';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryHome } from '../config/temporary-home.ts';

/** A repository with a program that starts, and a clone of it. */
function setUp(t: TestContext) {
  const { home, env: given } = temporaryHome(t);
  const env = {
    ...given,
    PATH: process.env['PATH'] ?? '',
    GIT_CONFIG_GLOBAL: '/dev/null',
    HOME: join(home.path, '..'),
    // What npm prints would stand in the middle of the run's own lines.
    npm_config_loglevel: 'silent',
  };
  const base = join(home.path, '..', 'repositories');
  const [origin, clone] = [join(base, 'origin'), join(base, 'clone')];
  mkdirSync(join(origin, 'bin'), { recursive: true });
  const git = (folder: string, ...args: string[]): string => {
    const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];
    const run = spawnSync('git', ['-C', folder, ...identity, ...args], { env, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    return run.stdout.trim();
  };
  const commit = (program: string, message: string): void => {
    writeFileSync(join(origin, 'bin', 'hermes.mjs'), program);
    writeFileSync(join(origin, 'package.json'), '{"name":"x","version":"1.0.0"}');
    writeFileSync(
      join(origin, 'package-lock.json'),
      '{"name":"x","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"x","version":"1.0.0"}}}',
    );
    git(origin, 'add', '-A');
    git(origin, 'commit', '-q', '-m', message);
  };
  git(base, 'init', '-q', '-b', 'main', 'origin');
  commit('process.exitCode = 0;', 'first');
  git(base, 'clone', '-q', 'origin', 'clone');
  const run = async (options: UpdateOptions, folder = clone): Promise<string> => {
    const stdout = new PassThrough();
    const context = {
      io: { stdin: new PassThrough(), stdout, stderr: stdout },
      home,
      env,
      config: () => loadConfig({ home, env }),
    } as unknown as CliContext;
    await update(context, options, folder);
    return String((stdout.read() as Buffer | null) ?? '');
  };
  return { home, clone, git, commit, run };
}

test('a newer version is seen, installed after a snapshot, and then there is none', async (t) => {
  const { home, clone, commit, run } = setUp(t);
  writeFileSync(join(home.path, 'config.yaml'), '{}\n');
  assert.match(await run({ check: true }), /^Up to date \(main, /);
  commit('process.exitCode = 0; // newer', 'a better one');
  assert.match(await run({ check: true }), /^1 new commit\(s\) on main:\n {2}\w+ a better one\nInstall them with: /);
  await assert.rejects(run({}), { exitCode: 2, message: 'Nobody can be asked here.' });
  assert.ok(!existsSync(join(home.path, 'state-snapshots')));
  assert.match(await run({ yes: true }), /State snapshot: \S+-pre-update\n✓ Updated from /);
  assert.match(readFileSync(join(clone, 'bin', 'hermes.mjs'), 'utf8'), /newer/);
  assert.equal(readdirSync(join(home.path, 'state-snapshots')).length, 1);
  assert.match(await run({ yes: true }), /^Up to date/);
});

test('a version that does not start is taken back', async (t) => {
  const { clone, commit, git, run } = setUp(t);
  const before = git(clone, 'rev-parse', 'HEAD');
  commit('process.exitCode = 3;', 'broken');
  await assert.rejects(run({ yes: true, backup: false }), /taken back: The new version does not start \(exit code 3\)/);
  assert.equal(git(clone, 'rev-parse', 'HEAD'), before);
});

test('changes and commits of one’s own are not touched', async (t) => {
  const { clone, commit, git, run } = setUp(t);
  commit('process.exitCode = 0; // newer', 'second');
  writeFileSync(join(clone, 'bin', 'hermes.mjs'), 'mine');
  await assert.rejects(run({ yes: true }), { exitCode: 2, message: /changes in this checkout:\n ?M bin\/hermes\.mjs/ });
  git(clone, 'commit', '-q', '-am', 'mine');
  await assert.rejects(run({ yes: true }), { exitCode: 2, message: /1 commit\(s\) of its own/ });
  assert.equal(readFileSync(join(clone, 'bin', 'hermes.mjs'), 'utf8'), 'mine');
});

test('a checkout without an origin says so', async (t) => {
  const { clone, git, run } = setUp(t);
  git(clone, 'remote', 'remove', 'origin');
  await assert.rejects(run({ check: true }), { message: /has no origin/ });
});

test('an installation that is no checkout says how it is updated', async (t) => {
  const { home, run } = setUp(t);
  assert.match(await run({}, home.path), /not a checkout[\s\S]*npm install -g/);
});

test('changes in the checkout stop an update, unless the configuration says what becomes of them', async (t) => {
  const { home, clone, commit, git, run } = setUp(t);
  const notes = join(clone, 'package.json');
  const change = (): void => writeFileSync(notes, '{"name":"mine","version":"1.0.0"}');
  const configure = (mode: string): void =>
    writeFileSync(join(home.path, 'config.yaml'), `updates:\n  non_interactive_local_changes: ${mode}\n`);
  commit('process.exitCode = 0; // 2', 'second');
  change();
  await assert.rejects(run({ yes: true, backup: false }), /changes in this checkout/);
  configure('stash');
  await assert.rejects(run({ backup: false }), /changes in this checkout/, 'a person is not unattended');
  assert.match(await run({ yes: true, backup: false }), /Your changes in this checkout are back\.\n✓ Updated/);
  assert.match(readFileSync(notes, 'utf8'), /mine/);
  assert.equal(git(clone, 'stash', 'list'), '');
  writeFileSync(join(clone, 'bin', 'hermes.mjs'), '// mine');
  commit('process.exitCode = 0; // 3', 'third');
  assert.match(await run({ yes: true, backup: false }), /do not fit the new version and stay put aside/);
  assert.match(readFileSync(join(clone, 'bin', 'hermes.mjs'), 'utf8'), /3/);
  assert.match(git(clone, 'stash', 'show', '-p'), /\/\/ mine/);
  git(clone, 'stash', 'drop');
  configure('discard');
  change();
  commit('process.exitCode = 0; // 4', 'fourth');
  assert.match(await run({ yes: true, backup: false }), /Thrown away, .*: 1 changed file/);
  assert.doesNotMatch(readFileSync(notes, 'utf8'), /mine/);
  assert.equal(git(clone, 'stash', 'list'), '');
});
