/** Toolsets, reports for helpers, shell completion, the end of a memory and of an installation. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { commandCatalogue } from '../../src/cli/catalogue.ts';
import { hermes, linesOf, makePlace, ok, shell } from './hermes-process.ts';

suite('tools, dump, debug, completion, memory reset', { concurrency: 2 }, () => {
  test('toolsets are switched in the key of the original, and those of unbuilt parts stay in it', async (t) => {
    const place = makePlace(t);
    ok(await hermes(place, ['tools', 'disable', 'memory', 'todo']));
    const stored = (): string[] =>
      (parse(place.read('config.yaml')) as { platform_toolsets: { cli: string[] } }).platform_toolsets.cli;
    assert.ok(stored().includes('browser') && stored().includes('file'));
    assert.ok(!stored().includes('memory') && !stored().includes('hermes-cli'));
    const listed = ok(await hermes(place, ['tools', 'list'])).stdout;
    assert.match(listed, /✗ disabled {2}memory /);
    assert.match(listed, /✓ enabled {3}file /);
    ok(await hermes(place, ['tools', 'enable', 'memory']));
    assert.ok(stored().includes('memory'));
    const before = place.read('config.yaml');
    const typo = await hermes(place, ['tools', 'enable', 'memry']);
    assert.equal(typo.code, 2);
    assert.match(typo.stderr, /Did you mean 'memory'/);
    assert.equal(place.read('config.yaml'), before);
    const bare = await hermes(place, ['tools']);
    assert.equal(bare.code, 1);
    assert.match(bare.stderr, /requires an interactive terminal/);
  });

  test('what may run without a question is listed and taken back', async (t) => {
    const place = makePlace(t);
    assert.match(ok(await hermes(place, ['permissions'])).stdout, /Nothing is allowed for good/);
    place.write('config.yaml', 'command_allowlist: [recursive delete, SQL DROP]\n');
    assert.match(
      ok(await hermes(place, ['permissions', 'list'])).stdout,
      /1 {2}.*“recursive delete”\n {2}2 {2}.*“SQL DROP”/,
    );
    const wrong = await hermes(place, ['permissions', 'revoke', '3']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /'3' is not in the list[^]*from 1 to 2/);
    assert.match(ok(await hermes(place, ['permissions', 'revoke', '1'])).stdout, /Taken back: recursive delete/);
    assert.deepEqual((parse(place.read('config.yaml')) as { command_allowlist: string[] }).command_allowlist, [
      'SQL DROP',
    ]);
  });

  test('a dump tells what is set and what was changed, and no secret', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', 'model:\n  default: m\n  api_key: sk-very-secret-1234567890\nagent:\n  max_turns: 7\n');
    place.write('.env', 'OPENROUTER_API_KEY=sk-or-v1-abcdefghijklmnop1234\n');
    const { stdout } = ok(await hermes(place, ['dump']));
    const lines = linesOf(stdout);
    assert.equal(lines[0], '--- hermes dump ---');
    assert.equal(lines.at(-1), '--- end dump ---');
    assert.match(stdout, /^ {2}OpenRouter +set$/m);
    assert.match(stdout, /^ {2}agent\.max_turns: 7$/m);
    assert.doesNotMatch(stdout, /\x1b|very-secret|abcdefgh/);
    const keys = ok(await hermes(place, ['dump', '--show-keys'])).stdout;
    assert.match(keys, /^ {2}OpenRouter +sk-o\S*1234$/m);
    assert.doesNotMatch(keys, /abcdefgh/);
  });

  test('a debug report holds the ends of the logs without secrets, printed or in a private file', async (t) => {
    const place = makePlace(t);
    place.write('logs/agent.log', 'first\nsecond\nkey sk-or-v1-abcdefghijklmnop1234567890\n');
    const { stdout } = ok(await hermes(place, ['debug', 'share', '--local', '--lines', '2']));
    assert.match(stdout, /--- agent\.log \(last 2 lines\) ---\nsecond\nkey /);
    assert.doesNotMatch(stdout, /first|abcdefgh/);
    const [path = ''] = linesOf(ok(await hermes(place, ['debug', 'share'])).stdout);
    assert.match(readFileSync(path, 'utf8'), /^--- hermes dump ---/);
  });

  test('memory reset erases what was named after a yes', async (t) => {
    const place = makePlace(t);
    for (const name of ['MEMORY.md', 'USER.md']) place.write(`memories/${name}`, 'x');
    const at = (name: string): boolean => existsSync(join(place.home, 'memories', name));
    assert.match(ok(await hermes(place, ['memory', 'reset'])).stdout, /Cancelled/);
    ok(await hermes(place, ['memory', 'reset', '--target', 'user'], { stdin: 'yes\n' }));
    assert.deepEqual([at('MEMORY.md'), at('USER.md')], [true, false]);
    ok(await hermes(place, ['memory', 'reset', '--yes']));
    assert.equal(at('MEMORY.md'), false);
    assert.match(ok(await hermes(place, ['memory', 'reset', '--yes'])).stdout, /nothing to erase/);
  });

  test('uninstall says what it does, keeps the home unless all is to go, and never takes what is no home', async (t) => {
    const place = makePlace(t);
    place.write('config.yaml', 'model: m\n');
    ok(await hermes(place, ['profile', 'create', 'coder', '--no-skills']));
    const wrapper = join(place.home, '..', '.local', 'bin', 'coder');
    assert.match(ok(await hermes(place, ['uninstall', '--dry-run', '--full'])).stdout, /^Deletes ~\/\.hermes with 2/m);
    assert.equal((await hermes(place, ['uninstall'])).code, 1);
    assert.ok(existsSync(wrapper));
    ok(await hermes(place, ['uninstall', '--yes']));
    assert.deepEqual([existsSync(wrapper), existsSync(join(place.home, 'config.yaml'))], [false, true]);
    const env = { HERMES_HOME: join(place.home, '..') };
    assert.match((await hermes(place, ['uninstall', '--full', '--yes'], { env })).stderr, /does not look like a home/);
    ok(await hermes(place, ['uninstall', '--full', '--yes']));
    assert.equal(existsSync(place.home), false);
  });

  test('bash completes commands, sub-commands, flags and profiles', async (t) => {
    const place = makePlace(t);
    place.write('profiles/coder/SOUL.md', '');
    const run = await shell(
      place,
      `"$node" "$main" completion bash > script && bash -n script && source ./script
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _hermes; echo "\${COMPREPLY[*]}"; }
      try hermes ''
      try hermes config s
      try hermes profile use c
      try hermes -p coder skills tap ''
      try hermes -p ''
      try hermes backup --q`,
    );
    ok(run);
    const [all = '', config, use, tap = '', profiles, flag] = run.stdout.split('\n');
    for (const { name } of commandCatalogue) assert.ok(all.split(' ').includes(name), name);
    assert.equal(config, 'show set');
    assert.equal(use, 'coder');
    assert.match(tap, /\badd\b/);
    assert.equal(profiles, 'default coder');
    assert.equal(flag, '--quick');
  });

  for (const name of ['zsh', 'fish'] as const) {
    test(`${name} reads its completion script`, async (t) => {
      if (spawnSync(name, ['--version']).status !== 0) return t.skip(`${name} is not installed`);
      const place = makePlace(t);
      ok(await shell(place, `"$node" "$main" completion ${name} > script && ${name} -n script`));
    });
  }
});
