/** `hermes skills` and `hermes bundles`, as they are typed. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import * as bundles from '../../src/cli/commands/bundles.ts';
import * as skills from '../../src/cli/commands/skills.ts';
import { runCommand } from './config/run-command.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { noTmux, openPane } from './interactive/tmux.ts';
import { makePlace } from './hermes-process.ts';

function setUp(t: TestContext) {
  const { home, env } = temporaryHome(t);
  const source = join(home.path, '..', 'source', 'foo');
  const bundle = join(home.path, '..', 'bundle', 'dev', 'one');
  const write = (folder: string, name: string, text: string): void => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${name}\ndescription: About ${name}\n---\n${text}\n`);
  };
  write(source, 'foo', 'Text.');
  write(bundle, 'one', 'First.');
  const place = { home, env: { ...env, HERMES_BUNDLED_SKILLS: join(home.path, '..', 'bundle') } };
  return {
    home,
    place,
    source,
    bundle,
    write,
    run: (...words: string[]) => runCommand(skills, place, ...words),
    runBundles: (...words: string[]) => runCommand(bundles, place, ...words),
    inSkills: (path: string) => join(home.path, 'skills', path),
  };
}

test('a skill is inspected, installed, listed, audited, checked, updated and uninstalled', async (t) => {
  const { run, source, write, inSkills } = setUp(t);
  assert.match((await run('inspect', source)).stdout, /Guard: safe[\s\S]*Text\./);
  assert.match(
    (await run('install', source, '--yes', '--category', 'dev')).stdout,
    /Installed 'foo' to skills\/dev\/foo/,
  );
  assert.match((await run('list', '--source', 'hub')).stdout, /foo +local, community +About foo/);
  assert.match((await run('audit')).stdout, /foo {2}safe {2}as installed/);
  assert.match((await run('check')).stdout, /foo {2}up to date/);
  write(source, 'foo', 'New.');
  assert.match((await run('check')).stdout, /foo {2}update available/);
  assert.match((await run('update')).stdout, /foo {2}updated/);
  assert.match(readFileSync(inSkills('dev/foo/SKILL.md'), 'utf8'), /New\./);
  writeFileSync(inSkills('dev/foo/SKILL.md'), 'changed');
  const audit = await run('audit', 'foo');
  assert.match(audit.stdout, /CHANGED/);
  assert.equal(audit.exitCode, 1);
  assert.equal((await run('uninstall', 'foo')).exitCode, 0);
  assert.ok(!existsSync(inSkills('dev')));
  assert.equal((await run('uninstall', 'foo')).exitCode, 1);
});

test('a deep audit says what the Python of a skill calls', async (t) => {
  const { run, source, inSkills } = setUp(t);
  assert.equal((await run('install', source, '--yes')).exitCode, 0);
  mkdirSync(inSkills('foo/scripts'));
  writeFileSync(inSkills('foo/scripts/x.py'), 'from os import system as s\n\ns("ls")\n');
  assert.doesNotMatch((await run('audit')).stdout, /os\.system/);
  assert.match(
    (await run('audit', '--deep')).stdout,
    /1 Python file.*\n {4}scripts\/x\.py:3 os\.system {2}runs a program/,
  );
});

test('an optional official skill is recorded when it is the same, and put back when it was changed', async (t) => {
  const { home, env } = temporaryHome(t);
  const { write } = setUp(t);
  const folder = join(home.path, '..', 'optional');
  write(join(folder, 'dev', 'two'), 'two', 'Official.');
  const place = { home, env: { ...env, HERMES_OPTIONAL_SKILLS: folder } };
  const run = (...words: string[]) => runCommand(skills, place, ...words);
  const local = join(home.path, 'skills', 'dev', 'two');
  assert.match((await run('repair-official', 'all')).stdout, /two {2}missing/);
  write(local, 'two', 'Official.');
  assert.match((await run('repair-official', 'two')).stdout, /two {2}recorded as official\/dev\/two/);
  assert.match((await run('list', '--source', 'hub')).stdout, /two +official, builtin/);
  write(local, 'two', 'Mine.');
  assert.match((await run('repair-official', 'two')).stdout, /two {2}changed/);
  assert.equal((await run('repair-official', 'two', '--restore')).exitCode, 1);
  assert.match(readFileSync(join(local, 'SKILL.md'), 'utf8'), /Mine\./);
  const done = await run('repair-official', 'two', '--restore', '--yes');
  const kept = /the old one is in (.*)/.exec(done.stdout)?.[1] ?? '';
  assert.match(readFileSync(join(local, 'SKILL.md'), 'utf8'), /Official\./);
  assert.match(readFileSync(join(kept, 'SKILL.md'), 'utf8'), /Mine\./);
  assert.match((await run('audit')).stdout, /two {2}safe {2}as installed/);
  assert.equal((await run('repair-official', 'nope')).exitCode, 1);
});

test('where nobody can be asked, nothing is installed without --yes', async (t) => {
  const { run, source, inSkills } = setUp(t);
  const outcome = await run('install', source);
  assert.equal(outcome.exitCode, 1);
  assert.match(outcome.stdout, /written by somebody outside/);
  assert.ok(!existsSync(inSkills('foo')));
});

test('bundled skills: opting in brings them, reset restores, opting out keeps what was edited', async (t) => {
  const { run, inSkills } = setUp(t);
  assert.match((await run('opt-in', '--sync')).stdout, /1 added/);
  assert.equal((await run('list-modified', '--json')).stdout.trim(), '[]');
  assert.match((await run('diff', 'one')).stdout, /as it comes/);
  writeFileSync(inSkills('dev/one/SKILL.md'), 'mine');
  assert.match((await run('list-modified')).stdout, /^one {2}dev\/one$/m);
  assert.match((await run('diff', 'one')).stdout, /^--- bundled\/SKILL\.md[^]*^\+mine$/m);
  assert.equal((await run('reset', 'one', '--restore')).exitCode, 1, 'not without a yes');
  assert.equal(readFileSync(inSkills('dev/one/SKILL.md'), 'utf8'), 'mine');
  await run('opt-out', '--remove', '--yes');
  assert.equal(readFileSync(inSkills('dev/one/SKILL.md'), 'utf8'), 'mine');
  await run('reset', 'one', '--restore', '--yes');
  assert.match(readFileSync(inSkills('dev/one/SKILL.md'), 'utf8'), /First/);
  assert.match((await run('opt-out', '--remove', '--yes')).stdout, /Removed 1/);
  assert.ok(!existsSync(inSkills('dev')));
  assert.match((await run('reset', 'nothing')).stderr, /not a bundled skill/);
});

test('taps and snapshots carry a home over to another one', async (t) => {
  const { run, source, home } = setUp(t);
  await run('tap', 'add', join(source, '..'), '--path', '.');
  assert.match((await run('tap', 'add', join(source, '..'))).stderr, /tap already/);
  assert.match((await run('tap', 'list')).stdout, /openai\/skills {2}skills\/ {2}\(always\)[\s\S]*source/);
  assert.match((await run('search', 'foo', '--source', 'local')).stdout, /About foo/);
  const [offer] = JSON.parse((await run('search', 'foo', '--source', 'local', '--json')).stdout);
  assert.deepEqual([offer.name, offer.source], ['foo', 'local']);
  await run('install', source, '--yes');
  const file = join(home.path, '..', 'skills.json');
  await run('snapshot', 'export', file);
  assert.match((await run('snapshot', 'export', file)).stderr, /exists already/);
  const [skill] = JSON.parse(readFileSync(file, 'utf8')).skills;
  assert.deepEqual(skill, { name: 'foo', source: 'local', identifier: source, category: '' });
  rmSync(join(home.path, 'skills'), { recursive: true });
  const imported = await run('snapshot', 'import', file);
  assert.match(imported.stdout, /not installed/, 'each skill asks on its own; nobody answers here');
  assert.match((await run('snapshot', 'import', file, '--yes')).stdout, /Installed 'foo'/);
  assert.match((await run('snapshot', 'import', file, '--yes')).stdout, /installed already/);
  assert.match((await run('tap', 'list')).stdout, /source/);
  await run('tap', 'remove', join(source, '..'));
  assert.doesNotMatch((await run('tap', 'list')).stdout, /source/);
});

test('wrong words end with exit code 2', async (t) => {
  const { run } = setUp(t);
  for (const words of [
    ['install', 'nonsense'],
    ['list', '--source', 'x'],
    ['publish', '.', '--to', 'x'],
    ['browse', '--page', '0'],
    ['tap', 'add', 'x'],
    ['tap', 'add', 'a/b', '--path', '../..'],
  ]) {
    assert.equal((await run(...words)).exitCode, 2, words.join(' '));
  }
});

test('bundles are made, shown, listed and deleted', async (t) => {
  const { runBundles, place } = setUp(t);
  await runBundles(
    'create',
    'Back End',
    '--skill',
    'one',
    '--skill',
    'two',
    '-d',
    'For work',
    '--instruction',
    'Slowly.',
  );
  assert.match((await runBundles()).stdout, /\/back-end {2}\(one, two\) {2}For work/);
  assert.match((await runBundles('show', 'back-end')).stdout, /Instruction: Slowly\./);
  assert.equal((await runBundles('create', 'back-end', '--skill', 'one')).exitCode, 1);
  await runBundles('delete', 'back-end');
  assert.match((await runBundles('list')).stdout, /No bundles/);
  const elsewhere = join(place.home.path, 'elsewhere');
  const env = { ...place.env, HERMES_BUNDLES_DIR: elsewhere };
  await runCommand(bundles, { ...place, env }, 'create', 'far', '--skill', 'one');
  assert.ok(existsSync(join(elsewhere, 'far.yaml')));
  assert.match((await runBundles('list')).stdout, /No bundles/);
  assert.equal((await runBundles('delete', 'back-end')).exitCode, 1);
});

test('skills are switched off and on in a terminal, everywhere or on one surface', { skip: noTmux }, async (t) => {
  const place = makePlace(t);
  for (const name of ['one', 'two']) {
    place.write(`skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: About ${name}\n---\nText.\n`);
  }
  place.write('config.yaml', '# mine\nskills:\n  disabled: [gone]\n');
  const change = async (args: readonly string[], ...keys: readonly string[]) => {
    const pane = openPane(t, place, ['skills', ...args]);
    await pane.sees(/Skills to offer[^]*two/);
    for (const key of keys) pane.keys(key);
    assert.equal(await pane.ended(), 0);
    return pane.screen();
  };
  assert.match(await change([], 'Down', 'Down', 'Tab', 'Enter'), /Off: gone, two\./);
  assert.match(place.read('config.yaml'), /^# mine\nskills:\n {2}disabled: \[ ?gone, two ?\]|- two/);
  assert.match(
    await change(['config', '--platform', 'telegram'], 'Down', 'Down', 'Tab', 'Enter'),
    /Off on telegram: gone, one, two\./,
  );
  assert.match(place.read('config.yaml'), /platform_disabled:\n {4}telegram:/);
  assert.match(await change(['config'], 'Enter'), /Nothing was changed/);
  assert.match(await change(['config'], 'C-c'), /Nothing was changed/);
  assert.match(await change(['config'], 'Down', 'Tab', 'Enter'), /Off: gone\./);
});

test('without a terminal the way to switch skills off is told', async (t) => {
  const { run } = setUp(t);
  const outcome = await run('config');
  assert.equal(outcome.exitCode, 1);
  assert.match(outcome.stderr, /needs a terminal[^]*hermes config set skills\.disabled/);
});
