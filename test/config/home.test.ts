/** The home directory: how it is found and made ready. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { displayPath, ensureHome, resolveHome } from '../../src/config/home.ts';
import { UserError } from '../../src/lib/errors.ts';
import { temporaryHome } from './temporary-home.ts';

function machine(t: TestContext, ...profiles: string[]) {
  const { home, env } = temporaryHome(t);
  for (const name of profiles) mkdirSync(join(home.path, 'profiles', name), { recursive: true });
  return { root: home.path, env: { HOME: env['HOME'] } };
}

function exitCode(action: () => unknown): number {
  try {
    action();
  } catch (error) {
    assert.ok(error instanceof UserError);
    return error.exitCode;
  }
  return 0;
}

test('without flag, variable or sticky name the home is ~/.hermes', (t) => {
  const { root, env } = machine(t);
  assert.deepEqual(resolveHome(['chat'], env), {
    home: { path: root, root, profile: 'default' },
    argv: ['chat'],
    warnings: [],
  });
});

test('a profile flag counts anywhere before -- and is taken out of the arguments', (t) => {
  const { root, env } = machine(t, 'coder');
  const coder = { path: join(root, 'profiles/coder'), root, profile: 'coder' };
  for (const argv of [
    ['-p', 'coder', 'config', 'path'],
    ['config', 'path', '--profile=coder'],
    ['config', '--profile', 'coder', 'path'],
    ['-p', 'coder', 'config', 'path', '--profile=coder'],
  ]) {
    assert.deepEqual(resolveHome(argv, env), { home: coder, argv: ['config', 'path'], warnings: [] });
  }
  assert.deepEqual(resolveHome(['chat', '--', '-p', 'coder'], env).argv, ['chat', '--', '-p', 'coder']);
});

test('the value of another flag is no profile flag', (t) => {
  const { root, env } = machine(t, 'coder');
  for (const flag of ['-z', '--oneshot', '-m', '--provider', '-t', '-r', '-s', '--usage-file']) {
    const { home, argv } = resolveHome([flag, '-p', '-p', 'coder'], env);
    assert.deepEqual([home.path, argv], [join(root, 'profiles/coder'), [flag, '-p']], flag);
  }
  assert.deepEqual(resolveHome(['-c', '-p', 'coder', '-m'], env).argv, ['-c', '-m']);
});

test('under sudo a profile of the one who called it is found when root has none of that name', (t) => {
  const { root, env } = machine(t, 'coder', 'both');
  const { root: roots, env: rootEnv } = machine(t, 'both');
  const invoker = () => env.HOME;
  assert.equal(resolveHome(['-p', 'coder'], rootEnv, invoker).home.path, join(root, 'profiles/coder'));
  assert.equal(resolveHome(['-p', 'both'], rootEnv, invoker).home.path, join(roots, 'profiles/both'));
  assert.equal(resolveHome(['-p', 'default'], rootEnv, invoker).home.path, roots);
  assert.equal(
    exitCode(() => resolveHome(['-p', 'nobody'], rootEnv, invoker)),
    1,
  );
});

test('the flag beats HERMES_HOME; a root that it names may have a sticky name of its own', (t) => {
  const { root, env } = machine(t, 'coder');
  writeFileSync(join(root, 'active_profile'), 'coder\n');
  assert.equal(resolveHome([], env).home.profile, 'coder');
  assert.equal(resolveHome([], { ...env, HERMES_HOME: '/x' }).home.path, '/x');
  assert.equal(resolveHome([], { ...env, HERMES_HOME: root }).home.profile, 'coder');
  assert.equal(resolveHome(['-p', 'default'], { ...env, HERMES_HOME: '/x' }).home.path, root);
});

test('a HERMES_HOME inside profiles/ belongs to the root two levels up', (t) => {
  const { root, env } = machine(t, 'coder', 'writer');
  const inside = { ...env, HERMES_HOME: join(root, 'profiles/coder') };
  assert.deepEqual(resolveHome([], inside).home, { path: join(root, 'profiles/coder'), root, profile: 'coder' });
  assert.equal(resolveHome(['-p', 'writer'], inside).home.path, join(root, 'profiles/writer'));
});

test('a stale sticky name warns and falls back to default', (t) => {
  const { root, env } = machine(t);
  for (const name of ['gone', '../../etc']) {
    writeFileSync(join(root, 'active_profile'), name);
    const { home, warnings } = resolveHome([], env);
    assert.equal(home.path, root);
    assert.match(warnings.join(), /does not exist; using default/);
  }
});

test('contradicting, missing and malformed profile flags are usage errors; an unknown profile is not', (t) => {
  const { env } = machine(t, 'a', 'b');
  assert.equal(
    exitCode(() => resolveHome(['-p', 'a', '-p', 'b'], env)),
    2,
  );
  assert.equal(
    exitCode(() => resolveHome(['chat', '-p'], env)),
    2,
  );
  assert.equal(
    exitCode(() => resolveHome(['-p', '../a'], env)),
    2,
  );
  assert.equal(
    exitCode(() => resolveHome(['-p', 'nope'], env)),
    1,
  );
  assert.throws(() => resolveHome(['-p', 'nope'], env), /Profile 'nope' does not exist\./);
});

test('arguments without a profile flag come back unchanged, whatever they are', (t) => {
  const { env } = machine(t);
  const words = fc.array(fc.string().filter((word) => !/^(-p|--profile)/.test(word)));
  fc.assert(fc.property(words, (argv) => assert.deepEqual(resolveHome(argv, env).argv, argv)));
});

test('HERMES_HOME_MODE opens the folders of a home, new and old ones; without it they stay as they are', (t) => {
  const { home } = temporaryHome(t);
  const modeOf = (name: string) => statSync(join(home.path, name)).mode & 0o777;
  ensureHome(home, { HERMES_HOME_MODE: '0750' });
  assert.deepEqual([modeOf(''), modeOf('logs')], [0o750, 0o750]);
  ensureHome(home);
  ensureHome(home, { HERMES_HOME_MODE: 'open' });
  ensureHome(home, { HERMES_HOME_MODE: '700', HERMES_SKIP_CHMOD: '1' });
  assert.equal(modeOf(''), 0o750);
});

test('a fresh home is private, has its folders and a starter SOUL.md that is never overwritten', (t) => {
  const { home } = temporaryHome(t);
  const fresh = { ...home, path: join(home.path, 'new') };
  ensureHome(fresh);
  assert.equal(statSync(fresh.path).mode & 0o777, 0o700);
  for (const name of ['cron', 'sessions', 'logs', 'memories', 'SOUL.md']) assert.ok(existsSync(join(fresh.path, name)));
  writeFileSync(join(fresh.path, 'SOUL.md'), 'mine');
  ensureHome(fresh);
  assert.equal(readFileSync(join(fresh.path, 'SOUL.md'), 'utf8'), 'mine');
});

test('a path that cannot be written is named, with the reason', {
  skip: process.getuid?.() === 0 && 'root may read and write everywhere',
}, (t) => {
  const { home } = temporaryHome(t);
  chmodSync(home.path, 0o500);
  t.after(() => chmodSync(home.path, 0o700));
  assert.throws(
    () => ensureHome(home),
    (error) => error instanceof UserError && error.message.includes(join(home.path, 'cron')),
  );
});

test('a file in the way of a folder is named', (t) => {
  const { home, write } = temporaryHome(t);
  const path = write('logs', '');
  assert.throws(
    () => ensureHome(home),
    (error) => error instanceof UserError && error.message.includes(path),
  );
});

test('paths below the own directory are shown with ~', () => {
  assert.equal(displayPath('/home/me/.hermes', { HOME: '/home/me' }), '~/.hermes');
  assert.equal(displayPath('/home/meander', { HOME: '/home/me' }), '/home/meander');
});
