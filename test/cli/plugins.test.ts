/** `hermes plugins`: what is shown, and switching one on and off. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { build } from '../../src/cli/commands/plugins.ts';
import { Cancelled, type Prompts } from '../../src/cli/model/prompts.ts';
import { findPlugins } from '../../src/cli/plugins/find-plugins.ts';
import { askForPlugins } from '../../src/cli/plugins/plugins-page.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { contextOn } from './config/run-command.ts';

/** The command in this process, on a home with the plug-in `notes` and one of the original. */
function commandOn(t: TestContext, more: Readonly<Record<string, string>> = {}) {
  const { home, env: bare, write } = temporaryHome(t);
  const env = { ...bare, ...more };
  for (const name of ['notes', 'old']) mkdirSync(join(home.path, 'plugins', name), { recursive: true });
  write('plugins/notes/plugin.yaml', 'version: "1.2"\ndescription: Keeps notes\n');
  write('plugins/notes/index.mjs', 'export default () => undefined;');
  write('plugins/old/plugin.yaml', 'name: old\n');
  write('plugins/old/__init__.py', '');
  write('config.yaml', '');
  const printed = { out: '', err: '' };
  const io = {
    stdin: Object.create(process.stdin, { isTTY: { value: false } }),
    stdout: writerTo((text) => (printed.out += text)),
    stderr: writerTo((text) => (printed.err += text)),
  };
  const context = contextOn({ home, env }, io);
  const run = async (...args: string[]): Promise<string> => {
    printed.out = '';
    await build(context).exitOverride().parseAsync(args, { from: 'user' });
    return printed.out;
  };
  const lists = async () => {
    const { enabled, disabled, entries } = (await context.config()).config.plugins;
    return [enabled, disabled, entries['notes']?.allow_tool_override];
  };
  return { run, lists, home, printed, context, write };
}

function writerTo(keep: (text: string) => void): NodeJS.WriteStream {
  return Object.create(process.stdout, { write: { value: (text: string) => keep(text) } });
}

test('the list tells what of a plug-in is left out, as its names are taken, and what keeps one from being loaded', async (t) => {
  const { run, write, home } = commandOn(t);
  for (const name of ['also', 'sad']) mkdirSync(join(home.path, 'plugins', name));
  write('plugins/also/plugin.yaml', 'version: 1\n');
  write('plugins/also/index.mjs', "export default (ctx) => ctx.registerCommand('again', () => 'first');");
  write(
    'plugins/notes/index.mjs',
    "export default (ctx) => ['model', 'again', 'mine', 'free'].forEach((name) => ctx.registerCommand(name, () => name));",
  );
  write('plugins/sad/plugin.yaml', 'version: 1\n');
  write('plugins/sad/index.mjs', "export default () => { throw new Error('not today'); };");
  write('config.yaml', 'plugins: {enabled: [also, notes, sad]}\nquick_commands: {mine: {type: exec, command: ls}}\n');
  const notes = (await run('list')).split('\n').filter((line) => line.startsWith('  ⚠') && !line.includes('Python'));
  assert.deepEqual(notes, [
    '  ⚠ its command /model is left out: the program has one of that name',
    '  ⚠ its command /again is left out: the plug-in also has one of that name',
    '  ⚠ its command /mine is left out: quick_commands has one of that name',
    '  ⚠ not today',
  ]);
  assert.doesNotMatch(await run('list', '--plain'), /⚠/);
});

test('the list shows each plug-in with its state, as JSON with five keys', async (t) => {
  const { run } = commandOn(t);
  const text = await run('list');
  assert.match(text, /^not enabled {2}user {5}1\.2 {6}notes {2}Keeps notes$/m);
  assert.match(text, /^unsupported \(python\) user .*old$/m);
  assert.deepEqual(JSON.parse(await run('ls', '--json'))[0], {
    name: 'notes',
    status: 'not enabled',
    version: '1.2',
    description: 'Keeps notes',
    source: 'user',
  });
  assert.equal(await run('list', '--enabled', '--plain'), '');
});

test('each can be switched on and off, and a right to replace tools is given only on demand', async (t) => {
  const { run, lists, home } = commandOn(t);
  await run('enable', 'notes');
  assert.deepEqual(await lists(), [['notes'], [], undefined]);
  assert.match(await run('list', '--enabled', '--plain'), /^enabled .*notes$/m);
  await run('disable', 'notes');
  assert.deepEqual(await lists(), [[], ['notes'], undefined]);
  // By hand in both lists it is off.
  writeFileSync(join(home.path, 'config.yaml'), 'plugins:\n  enabled: [notes]\n  disabled: [notes]\n');
  assert.match(await run('list', '--plain'), /^disabled .*notes$/m);
  await run('enable', 'notes', '--allow-tool-override');
  assert.deepEqual(await lists(), [['notes'], [], true]);
  await run('enable', 'notes', '--no-allow-tool-override');
  assert.deepEqual(await lists(), [['notes'], [], false]);
  await assert.rejects(run('enable', 'nope'), /There is no plug-in 'nope'/);
});

test('removing one deletes its folder, and of a link only the link', async (t) => {
  const { run, home } = commandOn(t);
  const elsewhere = join(home.path, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'plugin.yaml'), 'version: 1\n');
  symlinkSync(elsewhere, join(home.path, 'plugins', 'linked'));
  await run('rm', 'linked');
  assert.equal(existsSync(join(elsewhere, 'plugin.yaml')), true);
  assert.equal(existsSync(join(home.path, 'plugins', 'linked')), false);
  await run('remove', 'notes');
  assert.equal(existsSync(join(home.path, 'plugins', 'notes')), false);
});

test('with HERMES_PLUGINS_DEBUG the list says why each is not loaded', async (t) => {
  const { run, printed } = commandOn(t, { HERMES_PLUGINS_DEBUG: '1' });
  await run('list');
  assert.match(printed.err, /\[plugins\] notes in .*: not enabled in config/);
  assert.match(printed.err, /\[plugins\] old in .*: it is written for the original, in Python/);
});

/** Answers for the page: the keys that are marked at the end, then one for each question; without keys, Ctrl+C. */
function answering(marked: readonly string[] | undefined, ...answers: readonly boolean[]) {
  const shown: string[] = [];
  const left = [...answers];
  const unasked = (): never => assert.fail('not asked');
  const prompts: Prompts = {
    text: unasked,
    secret: unasked,
    select: unasked,
    pick: unasked,
    wait: unasked,
    choose: (_message, choices, initial) => {
      shown.push(...choices.map(({ value, label, hint }) => `${initial.includes(value)} ${label} | ${hint}`));
      return marked === undefined ? Promise.reject(new Cancelled()) : Promise.resolve(marked);
    },
    confirm: (message, initial) => {
      shown.push(`${message} ${initial}`);
      const answer = left.shift();
      return answer === undefined ? Promise.reject(new Cancelled()) : Promise.resolve(answer);
    },
    intro: () => undefined,
    say: (text) => void shown.push(text),
    outro: () => undefined,
  };
  return { prompts, shown };
}

test('on the page several are switched in one step, and each new one is asked about', async (t) => {
  const { write, lists, context, home } = commandOn(t);
  mkdirSync(join(home.path, 'plugins', 'work', 'more'), { recursive: true });
  write('plugins/work/more/plugin.yaml', 'name: more\nrequires_env: [MORE_KEY]\n');
  write('plugins/work/more/index.js', '');
  write('config.yaml', 'plugins:\n  enabled: [more, gone]\n');
  const ask = async (prompts: Prompts) => await askForPlugins(context, prompts, await findPlugins(context));

  const { prompts, shown } = answering(['notes'], true);
  assert.equal(await ask(prompts), 'Enabled: notes. Disabled: work/more. It counts from the next start.');
  assert.deepEqual(shown, [
    'Written for the original, in Python, and not loaded here: old',
    'false notes 1.2 | not enabled · user · Keeps notes',
    'true work/more | enabled · user · it needs MORE_KEY, set with: hermes config set MORE_KEY VALUE',
    'May notes replace tools that are there without it? false',
  ]);
  assert.deepEqual(await lists(), [['gone', 'notes'], ['work/more'], true]);
  assert.equal(await ask(answering(['notes']).prompts), 'Nothing was changed.');
  assert.deepEqual(await lists(), [['gone', 'notes'], ['work/more'], true]);
});

test('Ctrl+C on the page leaves everything as it was, also at the last question', async (t) => {
  const { context, write, home } = commandOn(t);
  const text = '# mine\nplugins:\n  disabled: [notes]\n';
  write('config.yaml', text);
  const all = await findPlugins(context);
  for (const { prompts } of [answering(undefined), answering(['notes'])]) {
    await assert.rejects(askForPlugins(context, prompts, all), Cancelled);
    assert.equal(readFileSync(join(home.path, 'config.yaml'), 'utf8'), text);
  }
});

test('without a terminal the command alone prints the list', async (t) => {
  const { run } = commandOn(t);
  assert.equal(await run(), await run('list'));
});
