/** What the command line understands, and what it says when it does not. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { commandCatalogue } from '../../src/cli/catalogue.ts';
import { notInThisBuild } from '../../src/cli/not-in-this-build.ts';
import { runCli } from '../../src/cli/run.ts';
import { resolveHome } from '../../src/config/home.ts';
import type { Io } from '../../src/lib/io.ts';
import { hasStackTrace, hermes, linesOf, makePlace, type Place } from './hermes-process.ts';

/** What must be there at least; what the help lists beyond is tried as well. */
const subcommands: Readonly<Record<string, readonly string[]>> = {
  config: ['show', 'set', 'path', 'env-path', 'check', 'migrate'],
  sessions: ['list', 'export', 'delete', 'prune', 'stats', 'rename', 'search'],
};

/** The names under `Commands:`. */
function listedCommands(help: string): string[] {
  const list = help.split(/^Commands:$/m)[1]?.split(/^\S/m)[0] ?? '';
  return [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);
}

/** In this process: there are some two hundred to ask, and each start takes a quarter of a second. */
async function hermesHere(place: Place, argv: readonly string[]) {
  const { home } = resolveHome([], place.env);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { stdin: new PassThrough(), stdout, stderr } as unknown as Io;
  const code = await runCli({ argv, home, env: { ...place.env, HERMES_EXIT_WATCHDOG_S: '0' }, io });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

suite('command line', { concurrency: 2 }, () => {
  test('--version prints a version in its first line', async (t) => {
    const place = makePlace(t);
    for (const args of [['--version'], ['-V'], ['version'], ['-V', '-p', 'default']]) {
      const run = await hermes(place, args);
      assert.deepEqual([run.code, run.stderr], [0, ''], args.join(' '));
      assert.match(
        run.stdout,
        /^Hermes Agent v\d+\.\d+\.\d+ \(\d{4}\.\d{1,2}\.\d{1,2}\)\nInstall directory: \/.*\nInstall method: (git|npm|folder)\n/,
      );
      assert.match(run.stdout, /^Node: v24\./m);
    }
  });

  test('--help at the top lists every command with its purpose and ends with examples', async (t) => {
    const run = await hermes(makePlace(t), ['--help']);
    assert.deepEqual([run.code, run.stderr], [0, '']);
    for (const { name, summary } of commandCatalogue) {
      assert.match(run.stdout, new RegExp(`^  ${name}\\b.*${summary.split(' ')[0]}`, 'm'));
    }
    assert.match(run.stdout, /^Examples:$/m);
    assert.doesNotMatch(run.stdout, /\x1b/);
  });

  for (const { name } of commandCatalogue) {
    test(`hermes ${name} --help explains it, and so does each of its subcommands`, async (t) => {
      const place = makePlace(t);
      const help = await hermesHere(place, [name, '--help']);
      const listed = listedCommands(help.stdout);
      for (const sub of subcommands[name] ?? []) assert.ok(listed.includes(sub), `${sub} in ${help.stdout}`);
      for (const words of [[name], ...listed.map((sub) => [name, sub])]) {
        const run = await hermesHere(place, [...words, '-h']);
        assert.deepEqual([run.code, run.stderr], [0, ''], words.join(' '));
        assert.match(run.stdout, new RegExp(`^Usage: hermes ${words.join(' ')}\\b`), words.join(' '));
      }
    });
  }

  test('the help of a subcommand is the same from a process of its own', async (t) => {
    const place = makePlace(t);
    for (const words of [
      ['sessions', 'list', '-h'],
      ['gateway', 'run', '--help'],
    ]) {
      const run = await hermes(place, words);
      assert.deepEqual([run.code, run.stdout, run.stderr], Object.values(await hermesHere(place, words)));
    }
  });

  test('help needs no home that can be written', async (t) => {
    const run = await hermes(makePlace(t), ['--help'], { env: { HERMES_HOME: '/dev/null/nowhere' } });
    assert.deepEqual([run.code, run.stderr], [0, '']);
  });

  test('an unknown command is a usage error on stderr', async (t) => {
    for (const args of [['bogus'], ['bogus', '--help'], ['-p', 'default', 'bogus'], ['--yolo', 'bogus']]) {
      const run = await hermes(makePlace(t), args);
      assert.deepEqual([run.code, run.stdout], [2, ''], args.join(' '));
      assert.match(run.stderr, /unknown command 'bogus'/);
      assert.match(run.stderr, /usage: hermes/i);
    }
  });

  test('an unknown flag, a missing value and a wrong value are usage errors that name the flag', async (t) => {
    const place = makePlace(t);
    for (const [args, named] of [
      [['--nonsense'], '--nonsense'],
      [['chat', '--nonsense'], '--nonsense'],
      [['config', '--nonsense'], '--nonsense'],
      [['config', 'path', '--nonsense'], '--nonsense'],
      [['sessions', 'list', '--nonsense'], '--nonsense'],
      [['-z'], '--oneshot'],
      [['chat', '-q'], '--query'],
      [['chat', '-Q'], '-Q'],
      [['-z', ''], 'prompt'],
      [['-z', 'hi', '--max-turns', 'many'], '--max-turns'],
      [['-z', 'hi', '--max-turns', '0'], '--max-turns'],
      [['-z', 'hi', '-m', ''], '--model needs the name'],
      [['-p'], '--profile'],
      [['-p', 'Not A Name', '-z', 'hi'], 'Not A Name'],
      [['-p', 'one', '-p', 'two', '-z', 'hi'], 'two'],
    ] as const) {
      const run = await hermes(place, args);
      assert.deepEqual([run.code, run.stdout], [2, ''], args.join(' '));
      assert.ok(run.stderr.includes(named), `${args.join(' ')}: ${run.stderr}`);
      assert.ok(!hasStackTrace(run.stderr), run.stderr);
    }
  });

  test('a command of the original that is not built says so in one line', async (t) => {
    const place = makePlace(t);
    assert.ok(notInThisBuild.includes('kanban'));
    for (const args of [['kanban'], ['kanban', 'list', '--all'], ['desktop'], ['kanban', '--help']]) {
      const run = await hermes(place, args);
      assert.deepEqual([run.code, run.stdout], [1, ''], args.join(' '));
      const [line, ...rest] = linesOf(run.stderr);
      assert.match(line ?? '', new RegExp(`'hermes ${args[0]}' is not available in this build`));
      assert.deepEqual(rest, [], args.join(' '));
    }
  });

  test('hermes config path prints exactly the path of the settings', async (t) => {
    const place = makePlace(t);
    const run = await hermes(place, ['config', 'path']);
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, `${place.home}/config.yaml\n`, '']);
  });

  test('setup without a terminal says how to do it without prompts', async (t) => {
    const place = makePlace(t);
    const run = await hermes(place, ['setup']);
    assert.deepEqual([run.code, run.stdout], [1, '']);
    assert.match(run.stderr, /hermes config set/);
    assert.equal(existsSync(join(place.home, 'config.yaml')), false);
    const tools = await hermes(place, ['setup', 'tools']);
    assert.equal(tools.code, 1);
    assert.match(tools.stderr, /'hermes tools' requires an interactive terminal/);
    const shown = await hermes(place, ['setup', 'tools', '--non-interactive']);
    assert.match(shown.stdout, /^Toolsets \(cli\):\n {2}✓ enabled {3}terminal/);
    const unknown = await hermes(place, ['setup', 'kitchen']);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /kitchen/);
    for (const later of [
      ['setup', 'tts'],
      ['auth', 'spotify', '--client-id', 'x'],
    ]) {
      const run = await hermes(place, later);
      assert.deepEqual([run.code, run.stdout], [1, '']);
      assert.match(run.stderr, /not available in this build/);
    }
  });

  test('tools and toolsets can be listed without a model', async (t) => {
    const place = makePlace(t);
    const tools = await hermes(place, ['chat', '--list-tools']);
    assert.equal(tools.code, 0);
    assert.match(tools.stdout, /^terminal: .*\bterminal\b/m);
    assert.match(tools.stdout, /^file: .*\bread_file\b/m);
    const help = await hermes(place, ['chat', '--help']);
    assert.doesNotMatch(help.stdout, /--list-tools|--compact/);
    // What is not in the help any more is still understood.
    const sets = await hermes(place, ['--compact', '--list-toolsets']);
    assert.equal(sets.code, 0);
    assert.ok(linesOf(sets.stdout).includes('todo'));
    assert.equal(existsSync(join(place.home, 'state.db')), false);
  });

  test('a profile that does not exist is not created', async (t) => {
    const place = makePlace(t);
    const before = readdirSync(place.home);
    const run = await hermes(place, ['-p', 'nobody', '-z', 'hi']);
    assert.deepEqual([run.code, run.stdout], [1, '']);
    assert.match(run.stderr, /Profile 'nobody' does not exist/);
    assert.deepEqual(readdirSync(place.home), before);
  });
});
