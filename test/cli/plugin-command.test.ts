/** `hermes <name>` of a plug-in, as it is typed. */
import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCli } from '../../src/cli/run.ts';
import { homeWithPlugins } from '../plugins/plugin-home.ts';

const notes = `
import { writeFileSync } from 'node:fs';
export default (ctx) => {
  writeFileSync(new URL('./loaded', import.meta.url), '');
  ctx.registerCliCommand({
    name: 'jot',
    help: 'short notes',
    setup_fn(command) {
      command.option('--loud', 'in capitals');
      const add = command.command('add', 'keep one');
      add.argument('<text>', 'what to keep').option('--tag <name>', 'a word for it', 'none');
      command.command('fail', 'go wrong');
      command.command('jot', 'named like what it stands in');
    },
    handler_fn: async (values) => {
      if (values.command === 'fail') throw new Error('no paper');
      return values.command === '' ? 3 : JSON.stringify(values);
    },
  });
  ctx.registerCliCommand('config', 'not this one', undefined, () => 'mine');
  return () => writeFileSync(new URL('./tidied', import.meta.url), '');
};
`;

function terminal(t: TestContext, { enabled = true } = {}) {
  const { home, env, write } = homeWithPlugins(t, { notes });
  write('config.yaml', enabled ? 'plugins:\n  enabled: [notes]\n' : '');
  const printed = { out: '', err: '' };
  const writer = (keep: (text: string) => void): NodeJS.WriteStream =>
    Object.create(process.stdout, { write: { value: (text: string) => keep(text) } });
  const io = {
    stdin: process.stdin,
    stdout: writer((text) => (printed.out += text)),
    stderr: writer((text) => (printed.err += text)),
  };
  const has = (name: string): boolean => existsSync(join(home.path, 'plugins', 'notes', name));
  const hermes = async (...argv: string[]): Promise<number> =>
    await runCli({ argv, home, env: { ...env, HERMES_EXIT_WATCHDOG_S: '0' }, io });
  return { hermes, printed, has, home: home.path };
}

test('a plug-in brings a command with options, arguments and sub-commands, and tidies up behind it', async (t) => {
  const { hermes, printed, has } = terminal(t);
  assert.equal(await hermes('jot', '--loud', 'add', 'milk', '--tag', 'shop'), 0);
  assert.deepEqual(JSON.parse(printed.out), { loud: true, tag: 'shop', text: 'milk', command: 'add' });
  assert.equal(has('tidied'), true);
  assert.equal(
    printed.err,
    "plugins: notes: its command 'hermes config' is left out: the program has one of that name\n",
  );
  printed.out = '';
  assert.equal(await hermes('jot', '--loud', 'jot'), 0);
  assert.deepEqual(JSON.parse(printed.out), { loud: true, command: 'jot' });
  assert.equal(await hermes('jot'), 3);
  await assert.rejects(hermes('jot', 'fail'), /'hermes jot' of the plug-in notes failed: no paper/);
  await assert.rejects(hermes('jot', 'ad', 'x'), /unknown sub-command 'ad'.*Did you mean 'add'/);
  assert.equal(await hermes('jot', '--help'), 0);
  assert.match(printed.out, /short notes[^]*--loud[^]*add/);
});

test('a command of the program stays with the program, and loads no plug-in', async (t) => {
  const { hermes, printed, has } = terminal(t);
  assert.equal(await hermes('config', 'path'), 0);
  assert.doesNotMatch(printed.out, /mine/);
  assert.equal(has('loaded'), false);
});

test('a plug-in that is not enabled, or safe mode, brings no command and runs no code', async (t) => {
  const off = terminal(t, { enabled: false });
  await assert.rejects(off.hermes('jot'), /unknown command 'jot'/);
  const safe = terminal(t);
  await assert.rejects(safe.hermes('--safe-mode', 'jot'), /unknown command 'jot'/);
  assert.deepEqual([off.has('loaded'), safe.has('loaded')], [false, false]);
});

test('beside settings that cannot be read, or without any, a mistyped word is a mistyped word', async (t) => {
  const { hermes, home } = terminal(t);
  writeFileSync(join(home, 'config.yaml'), 'plugins: [unclosed');
  await assert.rejects(hermes('jto'), /unknown command 'jto'/);
  rmSync(join(home, 'config.yaml'));
  await assert.rejects(hermes('jto'), /unknown command 'jto'/);
});
