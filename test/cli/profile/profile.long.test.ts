/** Profiles as people handle them: made, used, renamed, exported, deleted. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { create, list } from 'tar';
import { startModelServer } from '../../fakes/model-server.ts';
import { hermes, linesOf, makePlace, ok, type Place } from '../hermes-process.ts';

function wrapper(place: Place, name: string): string {
  return join(dirname(place.home), '.local', 'bin', name);
}

suite('hermes profile', { concurrency: 2 }, () => {
  test('create makes a home with the original’s folders, a private .env and a command of its name', async (t) => {
    const place = makePlace(t);
    const run = ok(await hermes(place, ['profile', 'create', 'Coder', '--no-skills', '--description', 'writes code']));
    assert.match(run.stderr, /not on your PATH/);
    const home = join(place.home, 'profiles', 'coder');
    for (const name of ['cron', 'home', 'logs', 'memories', 'plans', 'sessions', 'skills', 'skins', 'workspace']) {
      assert.ok(statSync(join(home, name)).isDirectory(), name);
    }
    assert.ok(existsSync(join(home, 'SOUL.md')));
    assert.equal(existsSync(join(home, 'config.yaml')), false);
    assert.equal(statSync(join(home, '.env')).mode & 0o777, 0o600);
    assert.equal(readFileSync(wrapper(place, 'coder'), 'utf8'), '#!/bin/sh\nexec hermes -p coder "$@"\n');
    assert.equal(statSync(wrapper(place, 'coder')).mode & 0o777, 0o755);
    assert.deepEqual(readdirSync(join(home, 'skills')), []);
    assert.equal(ok(await hermes(place, ['-p', 'coder', 'config', 'path'])).stdout, `${home}/config.yaml\n`);
    assert.match(ok(await hermes(place, ['profile', 'show', 'coder'])).stdout, /^Description: +writes code$/m);
    assert.equal((await hermes(place, ['profile', 'create', 'coder'])).code, 1);
    assert.deepEqual(readdirSync(join(place.home, 'profiles')), ['coder']);
  });

  test('a clone has settings, keys, soul, skills and memories and none of the conversations', async (t) => {
    const place = makePlace(t);
    const files = {
      'config.yaml': 'model: m\n',
      '.env': 'A_KEY=1\n',
      'SOUL.md': 'me\n',
      'skills/one/SKILL.md': '---\n',
      'memories/MEMORY.md': 'a\n',
      'memories/USER.md': 'b\n',
    };
    for (const [name, text] of Object.entries({
      ...files,
      'cron/jobs.json': '[]',
      'state.db': 'x',
      'sessions/s.json': '{}',
    })) {
      place.write(name, text);
    }
    ok(await hermes(place, ['profile', 'create', 'copy', '--clone', '--no-alias']));
    ok(await hermes(place, ['profile', 'create', 'whole', '--clone-all', '--no-alias']));
    for (const profile of ['copy', 'whole']) {
      for (const [name, text] of Object.entries(files))
        assert.equal(place.read(`profiles/${profile}/${name}`), text, name);
      for (const name of ['state.db', 'sessions/s.json', 'profiles']) {
        assert.equal(existsSync(join(place.home, 'profiles', profile, name)), false, name);
      }
    }
    assert.equal(existsSync(join(place.home, 'profiles/copy/cron/jobs.json')), false);
    assert.equal(existsSync(join(place.home, 'profiles/whole/cron/jobs.json')), true);
    assert.equal(existsSync(wrapper(place, 'copy')), false);
    const both = await hermes(place, ['profile', 'create', 'none', '--no-skills', '--clone']);
    assert.equal(both.code, 1);
    assert.match(both.stderr, /--no-skills and --clone/);
  });

  test('use, rename and delete keep the standing profile and the commands in step', async (t) => {
    const place = makePlace(t);
    ok(await hermes(place, ['profile', 'create', 'coder', '--no-skills']));
    ok(await hermes(place, ['profile', 'use', 'coder']));
    assert.equal(place.read('active_profile'), 'coder\n');
    assert.match(ok(await hermes(place, ['config', 'path'])).stdout, /profiles\/coder\/config\.yaml\n$/);
    assert.match(ok(await hermes(place, ['profile'])).stdout, /^Active profile: coder$/m);
    ok(await hermes(place, ['profile', 'alias', 'coder', '--name', 'cdr']));
    ok(await hermes(place, ['profile', 'rename', 'coder', 'dev']));
    assert.equal(place.read('active_profile'), 'dev\n');
    for (const name of ['dev', 'cdr']) assert.match(readFileSync(wrapper(place, name), 'utf8'), /hermes -p dev /);
    assert.equal(existsSync(wrapper(place, 'coder')), false);
    const listed = linesOf(ok(await hermes(place, ['profile', 'list'])).stdout);
    assert.match(listed[0] ?? '', /^Profile +Model +Gateway +Alias +Distribution$/);
    assert.match(listed[2] ?? '', /^◆dev +— +stopped +cdr +—$/);
    // The one of this very command, not the one that is used when none is named.
    const named = linesOf(ok(await hermes(place, ['-p', 'default', 'profile', 'list'])).stdout);
    assert.deepEqual(
      named.filter((line) => line.startsWith('◆')).map((line) => line.split(' ')[0]),
      ['◆default'],
    );
    const wrong = ok(await hermes(place, ['profile', 'delete', 'dev', '--yes'], { stdin: 'de\n' }));
    assert.match(wrong.stdout, /Cancelled/);
    ok(await hermes(place, ['profile', 'delete', 'dev'], { stdin: 'dev\n' }));
    assert.equal(existsSync(join(place.home, 'active_profile')), false);
    for (const name of ['dev', 'cdr']) assert.equal(existsSync(wrapper(place, name)), false, name);
    assert.deepEqual(readdirSync(join(place.home, 'profiles')), []);
    assert.equal((await hermes(place, ['profile', 'delete', 'default', '-y'])).code, 1);
  });

  test('a command or file of somebody else is never replaced by an alias', async (t) => {
    const place = makePlace(t);
    mkdirSync(dirname(wrapper(place, 'x')), { recursive: true });
    writeFileSync(wrapper(place, 'ls2'), 'mine');
    for (const name of ['ls2', 'ls', 'chat']) {
      const run = ok(await hermes(place, ['profile', 'create', name, '--no-skills']));
      assert.match(run.stderr, new RegExp(`Cannot create alias '${name}'.*--name`));
    }
    assert.equal(readFileSync(wrapper(place, 'ls2'), 'utf8'), 'mine');
    assert.equal((await hermes(place, ['profile', 'alias', 'ls2'])).code, 1);
    assert.match((await hermes(place, ['profile', 'create', 'tmp'])).stderr, /reserved/);
  });

  test('an export holds no keys and comes back under another name', async (t) => {
    const place = makePlace(t);
    ok(await hermes(place, ['profile', 'create', 'coder', '--no-skills', '--no-alias']));
    for (const [name, text] of Object.entries({ 'config.yaml': 'model: m\n', '.env': 'K=1', 'auth.json': '{}' })) {
      place.write(`profiles/coder/${name}`, text);
    }
    ok(await hermes(place, ['profile', 'export', 'coder', '-o', 'c.tgz']));
    const names: string[] = [];
    await list({ file: join(place.work, 'c.tar.gz'), onReadEntry: ({ path }) => names.push(path) });
    assert.ok(names.includes('coder/config.yaml'), names.join());
    assert.ok(!names.some((name) => /auth\.json|\.env$/.test(name)), names.join());
    ok(await hermes(place, ['profile', 'import', 'c.tar.gz', '--name', 'again']));
    assert.equal(place.read('profiles/again/config.yaml'), 'model: m\n');
    assert.equal((await hermes(place, ['profile', 'import', 'c.tar.gz'])).code, 1);
  });

  test('an archive with a way out, a link or two folders is refused and leaves nothing', async (t) => {
    const place = makePlace(t);
    const stage = mkdtempSync(join(place.work, 'stage-'));
    mkdirSync(join(stage, 'p'));
    writeFileSync(join(place.work, 'outside'), 'x');
    writeFileSync(join(stage, 'p', 'file'), 'x');
    await create({ file: join(place.work, 'up.tar.gz'), gzip: true, cwd: stage, preservePaths: true }, [
      'p',
      '../outside',
    ]);
    symlinkSync('/etc/passwd', join(stage, 'p', 'link'));
    await create({ file: join(place.work, 'link.tar.gz'), gzip: true, cwd: stage }, ['p']);
    mkdirSync(join(stage, 'q'));
    await create({ file: join(place.work, 'two.tar.gz'), gzip: true, cwd: stage }, ['q', 'p/file']);
    writeFileSync(join(place.work, 'none.tar.gz'), 'no archive');
    for (const name of ['up', 'link', 'two', 'none']) {
      const run = await hermes(place, ['profile', 'import', `${name}.tar.gz`, 'r']);
      assert.equal(run.code, 1, name);
      assert.match(run.stderr, /is not imported|is not a whole/, name);
    }
    assert.equal(existsSync(join(place.home, 'profiles', 'r')), false);
  });

  test('a distribution brings what it owns, nothing of its maker, and an update keeps the settings', async (t) => {
    const place = makePlace(t);
    const write = (name: string, text: string): void => {
      mkdirSync(dirname(join(place.work, 'dist', name)), { recursive: true });
      writeFileSync(join(place.work, 'dist', name), text);
    };
    write('distribution.yaml', 'name: dd\nversion: "1.0"\nenv_requires:\n  - {name: FOO_KEY, description: a key}\n');
    for (const name of ['SOUL.md', 'config.yaml', '.env', 'memories/MEMORY.md']) write(name, 'theirs: 1\n');
    ok(await hermes(place, ['profile', 'install', 'dist', '-y']));
    const at = (name: string): string => join(place.home, 'profiles', 'dd', name);
    assert.equal(readFileSync(at('SOUL.md'), 'utf8'), 'theirs: 1\n');
    assert.match(readFileSync(at('.env.EXAMPLE'), 'utf8'), /^FOO_KEY=$/m);
    for (const name of ['.env', 'memories/MEMORY.md']) assert.equal(existsSync(at(name)), false, name);
    assert.match(ok(await hermes(place, ['profile', 'info', 'dd'])).stdout, /^Installed: +20/m);
    writeFileSync(at('config.yaml'), 'mine: 1\n');
    ok(await hermes(place, ['profile', 'update', 'dd', '-y']));
    assert.equal(readFileSync(at('config.yaml'), 'utf8'), 'mine: 1\n');
    ok(await hermes(place, ['profile', 'update', 'dd', '-y', '--force-config']));
    assert.equal(readFileSync(at('config.yaml'), 'utf8'), 'theirs: 1\n');
    write('distribution.yaml', 'name: ee\nhermes_requires: ">=999"\n');
    const unmet = await hermes(place, ['profile', 'install', 'dist', '-y']);
    assert.equal(unmet.code, 1);
    assert.match(unmet.stderr, />=999/);
    assert.equal(existsSync(join(place.home, 'profiles', 'ee')), false);
  });

  test('a model describes a profile, and leaves alone what a person wrote', async (t) => {
    await using server = await startModelServer({ respond: () => ({ text: 'Reviews\n pull requests.' }) });
    const place = makePlace(t, server);
    place.write('SOUL.md', 'You review pull requests.');
    const describe = (...words: string[]) => hermes(place, ['profile', 'describe', ...words]);
    assert.equal(ok(await describe('--auto')).stdout, 'default: Reviews pull requests.\n');
    assert.match(place.read('profile.yaml'), /description_auto: true/);
    assert.match(JSON.stringify(server.requests[0]?.body), /You review pull requests/);
    ok(await describe('default', '--text', 'mine'));
    assert.match(ok(await describe('--auto', '--all')).stdout, /^default: kept as you wrote it/);
    assert.equal(server.requests.length, 1);
    ok(await describe('--auto', '--overwrite'));
    assert.match(place.read('profile.yaml'), /Reviews pull requests/);
    assert.equal((await describe('--overwrite')).code, 2);
  });
});
