/** Plug-ins: what is found, what is loaded, and what one that fails leaves behind. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Log } from '../../src/lib/log.ts';
import { noLog } from '../../src/lib/log.ts';
import { HookRegistry } from '../../src/plugins/hook-registry.ts';
import { type DiscoverOptions, discoverPlugins, whyNotLoaded } from '../../src/plugins/packages/discover.ts';
import { loadPlugins } from '../../src/plugins/packages/load.ts';
import { noGrants } from '../../src/plugins/packages/plugin-llm.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { openWorkplace } from '../tools/file/support.ts';
import { runTool } from '../tools/support.ts';

function homeOf(t: TestContext) {
  const homePath = temporaryHome(t).home.path;
  const put = (name: string, text: string): string => {
    const path = join(homePath, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const plugin = (key: string, code: string, manifest = ''): void => {
    put(`plugins/${key}/plugin.yaml`, `version: '1.0'\n${manifest}`);
    put(`plugins/${key}/index.mjs`, code);
  };
  const find = async (more: Partial<DiscoverOptions> = {}) =>
    await discoverPlugins({ homePath, enabled: [], disabled: [], env: {}, ...more });
  const load = async (enabled: readonly string[], mayOverride = false, env: Record<string, string> = {}) => {
    const logged: string[] = [];
    const told: string[] = [];
    const log = logInto(logged);
    const registry = new HookRegistry(log);
    t.after(() => registry.close());
    const loaded = await loadPlugins(await find({ enabled }), {
      registry,
      profileName: 'default',
      env,
      tools: new Map([['read_file', 'file']]),
      commandNames: ['config'],
      sideTasks: ['vision'],
      ownProviders: () =>
        Promise.resolve({ web: ['builtin'], image: ['fal'], video: [], browser: [], tts: ['edge'], stt: [] }),
      mayOverride: () => mayOverride,
      llmGrants: () => noGrants,
      log,
      warn: (line) => told.push(line),
    });
    return { registry, loaded, logged, told, names: loaded.tools.map(({ name }) => name) };
  };
  return { homePath, put, plugin, find, load };
}

/** Each line behind the name of its log. */
function logInto(lines: string[], name = ''): Log {
  const note = (line: string): void => void lines.push(`${name}${line}`);
  return { ...noLog, info: note, warning: note, error: note, named: (more) => logInto(lines, `${name}${more}: `) };
}

const hookOf = (point: string, code: string): string =>
  `export default (ctx) => ctx.registerHook('${point}', (event) => { ${code} });`;

test('what there is is found without running any of it, and is off until the owner says so', async (t) => {
  const { homePath, plugin, put, find, load } = homeOf(t);
  const trace = join(homePath, 'ran');
  plugin('notes', `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(trace)}, '');`);
  plugin('observability/trace', '', 'name: tracer\ndescription: Looks\n');
  plugin('a/b/too-deep', '');
  put('plugins/old/plugin.yaml', 'name: old\n');
  put('plugins/old/__init__.py', '');
  put('plugins/model-providers/mine/plugin.yaml', 'name: mine\n');
  put(
    'plugins/node_modules/@me/extra/package.json',
    JSON.stringify({ name: '@me/extra', version: '2', hermes: { plugin: './x.mjs' } }),
  );
  put('plugins/node_modules/@me/extra/x.mjs', 'export default () => undefined;');
  put('plugins/node_modules/other/package.json', '{"name": "other"}');
  const all = await find({ enabled: ['tracer', 'notes'], disabled: ['notes'] });
  assert.deepEqual(
    all.map(({ key, state, source }) => [key, state, source]),
    [
      ['@me/extra', 'not enabled', 'npm'],
      ['notes', 'disabled', 'user'],
      ['observability/trace', 'enabled', 'user'],
      ['old', 'unsupported (python)', 'user'],
    ],
  );
  assert.deepEqual(all.map(whyNotLoaded), [
    'not enabled in config (run `hermes plugins enable @me/extra` to activate)',
    'disabled via config',
    undefined,
    'it is written for the original, in Python',
  ]);
  await load([]);
  assert.equal(existsSync(trace), false);
});

test('plug-ins of a project are found only where that is wanted, and stand before those of the home', async (t) => {
  const { homePath, plugin, put, find } = homeOf(t);
  plugin('notes', '');
  const project = join(homePath, 'project');
  put('project/.hermes/plugins/notes/plugin.yaml', 'version: 9\n');
  put('project/.hermes/plugins/notes/index.js', '');
  assert.deepEqual(
    (await find()).map(({ source }) => source),
    ['user'],
  );
  const [notes] = await find({ projectPath: project });
  assert.deepEqual([notes?.source, notes?.manifest?.version, notes?.state], ['project', '9', 'not enabled']);
});

test('one that lacks a variable, its code, or is of another kind is not loaded, and says what is missing', async (t) => {
  const { homePath, plugin, put, find } = homeOf(t);
  plugin('needs', '', 'requires_env: [FOO_KEY, {name: BAR_KEY, secret: true}]\n');
  plugin('voice', '', 'kind: exclusive\n');
  // Its setup asks for it.
  plugin('chats', '', 'kind: platform\nrequires_env: [FOO_KEY]\n');
  put('plugins/empty/plugin.yaml', 'name: empty\n');
  put('plugins/outside/plugin.yaml', 'entry: ../../evil.mjs\n');
  put('evil.mjs', '');
  put('plugins/linked/plugin.yaml', 'entry: link.mjs\n');
  symlinkSync(join(homePath, 'evil.mjs'), join(homePath, 'plugins/linked/link.mjs'));
  const enabled = ['needs', 'voice', 'chats', 'empty', 'outside', 'linked'];
  const why = new Map(
    (await find({ enabled, env: { BAR_KEY: 'x' } })).map((found) => [found.key, whyNotLoaded(found)]),
  );
  assert.match(why.get('needs') ?? '', /^it needs FOO_KEY, /);
  assert.equal(why.get('chats'), undefined);
  assert.match(why.get('voice') ?? '', /kind 'exclusive'/);
  for (const key of ['empty', 'outside', 'linked']) assert.match(why.get(key) ?? '', /no index\.js/, key);
});

test('hooks of plug-ins are asked in the order of their keys; one that throws is left out', async (t) => {
  const { plugin, load } = homeOf(t);
  plugin('b', hookOf('pre_tool_call', `return { action: 'block', message: event.tool_name };`));
  plugin('a', hookOf('pre_tool_call', `throw new Error('no');`));
  plugin('c', hookOf('pre_tool_call', `return { action: 'block', message: 'c' };`));
  const { registry } = await load(['c', 'b', 'a']);
  const answers = await registry.call('pre_tool_call', () => ({ tool_name: 'terminal' }));
  assert.deepEqual(answers, [
    { by: 'plug-in b', value: { action: 'block', message: 'terminal' } },
    { by: 'plug-in c', value: { action: 'block', message: 'c' } },
  ]);
});

test('a plug-in that fails leaves nothing of itself, and the others work', async (t) => {
  const { plugin, load } = homeOf(t);
  const tool = `{ name: 'half', toolset: 'x', schema: { type: 'object' }, handler: () => 'x' }`;
  plugin(
    'bad',
    `export function register(ctx) {
      ctx.registerTool(${tool});
      ctx.registerHook('pre_tool_call', () => ({ action: 'block', message: 'bad' }));
      throw new Error('broken');
    }`,
  );
  plugin('missing', 'export default (ctx) => ctx.registerMemoryProvider({ name: "x" });');
  plugin('none', 'export const x = 1;');
  plugin('syntax', 'export default (');
  plugin('good', `export default { register: (ctx) => ctx.registerTool({ ...${tool}, name: 'whole' }) };`);
  const { names, registry, told } = await load(['bad', 'missing', 'none', 'syntax', 'good']);
  assert.deepEqual(names, ['whole']);
  assert.equal(registry.has('pre_tool_call'), false);
  assert.deepEqual(told.slice(0, 3), [
    'plugins: bad cannot be loaded: broken',
    'plugins: missing cannot be loaded: registerMemoryProvider is not available in this build',
    'plugins: none cannot be loaded: no register() function',
  ]);
  assert.match(told[3] ?? '', /^plugins: syntax cannot be loaded: /);
});

test('a tool that is there already is replaced only with the word of the plug-in and of the owner', async (t) => {
  const { plugin, load } = homeOf(t);
  const read = `name: 'read_file', toolset: 'mine', schema: { type: 'object' }, handler: () => 'x'`;
  plugin('plain', `export default (ctx) => ctx.registerTool({ ${read} });`);
  plugin('wants', `export default (ctx) => ctx.registerTool({ ${read}, override: true });`);
  const plain = await load(['plain'], true);
  assert.deepEqual(plain.names, []);
  assert.match(plain.logged.join('\n'), /plug-in plain: the tool read_file is there already, in file/);
  const refused = await load(['wants']);
  assert.deepEqual(refused.names, []);
  assert.match(
    refused.told[0] ?? '',
    /may not replace the tool read_file: plugins\.entries\.wants\.allow_tool_override/,
  );
  const granted = await load(['wants'], true);
  assert.deepEqual(granted.names, ['read_file']);
  assert.match(granted.logged.join('\n'), /plug-in wants replaces the tool read_file/);
});

test('a tool that hangs is waited for only as long as somebody waits for its call', { timeout: 30_000 }, async (t) => {
  const { plugin, load } = homeOf(t);
  const never = `name: 'never', toolset: 'mine', schema: { type: 'object' }, handler: () => new Promise(() => undefined)`;
  plugin('hangs', `export default (ctx) => ctx.registerTool({ ${never} });`);
  const [tool] = (await load(['hangs'])).loaded.tools;
  assert.ok(tool !== undefined);
  const giveUp = new AbortController();
  const call = runTool(tool, {}, openWorkplace(t).services, { abandoned: giveUp.signal });
  giveUp.abort();
  await assert.rejects(call, /nobody waits for it any more/);
});

test('what register returns tidies up at the end', async (t) => {
  const { homePath, plugin, load } = homeOf(t);
  const trace = join(homePath, 'tidied');
  plugin(
    'tidy',
    `import { writeFileSync } from 'node:fs'; export default () => () => writeFileSync(${JSON.stringify(trace)}, '');`,
    // Asked about when it is installed, and no more.
    'manifest_version: 2\n',
  );
  const { loaded } = await load(['tidy']);
  await loaded.close();
  assert.equal(existsSync(trace), true);
});

test('what a plug-in writes into the log carries its name, and a command of it that is taken is told once', async (t) => {
  const { plugin, load } = homeOf(t);
  const code = (text: string) =>
    `export default (ctx) => { ctx.log.warning('${text}'); ctx.registerCommand('go', () => '${text}'); };`;
  plugin('a', code('first'));
  plugin('work/b', code('second'));
  plugin('c', `export default (ctx) => ctx.registerCommand('', () => '');`);
  const { loaded, logged, told } = await load(['a', 'work/b', 'c']);
  assert.ok(logged.includes('a: first') && logged.includes('work.b: second'));
  assert.match(told.join('\n'), /c cannot be loaded: registerCommand: .*must be a name/s);
  const [go, ...others] = loaded.commands.offered(() => false);
  assert.equal(await go?.run('', { id: 's', door: undefined }), 'first');
  assert.deepEqual(others, []);
  assert.deepEqual(
    loaded.commands.offered((name) => name === 'go'),
    [],
  );
  assert.equal(logged.filter((line) => line.includes('/go is a command already')).length, 2);
});

test('a side task of a plug-in has six fields, is no other one, and names a model only with the word of the owner', async (t) => {
  const { plugin, load } = homeOf(t);
  const code = (task: object) => `export default (ctx) => ctx.registerAuxiliaryTask(${JSON.stringify(task)});`;
  plugin('a', `export default (ctx) => ctx.registerAuxiliaryTask('sift_mail', 'Sift mail', 'what is worth reading');`);
  plugin('b', code({ key: 'Sift_Mail', display_name: 'x' }));
  plugin('c', code({ key: 'vision', display_name: 'x' }));
  plugin('d', code({ key: 'a-b', display_name: 'x' }));
  plugin('e', code({ key: 'e1', display_name: 'x', defaults: { model: 'dear' } }));
  plugin('f', code({ key: 'f1', display_name: 'x', defaults: { provider: 'openai' } }));
  plugin('g', code({ key: 'g1', display_name: 'x', defaults: { extra_body: { model: 'dear' } } }));
  plugin('h', code({ key: 'h1', display_name: 'x', defaults: { base_url: 'http://evil.test' } }));
  plugin('i', code({ key: 'i1', display_name: 'x', defaults: { provider: 'main', timeout: 5 } }));
  const { loaded, told } = await load(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  const six = { provider: 'auto', model: '', base_url: '', api_key: '', timeout: 60, extra_body: {} };
  assert.deepEqual(
    [...loaded.auxiliaryTasks.values()],
    [
      { key: 'sift_mail', displayName: 'Sift mail', description: 'what is worth reading', defaults: six, plugin: 'a' },
      { key: 'i1', displayName: 'x', description: '', defaults: { ...six, provider: 'main', timeout: 5 }, plugin: 'i' },
    ],
  );
  assert.equal(told.length, 7);
  const why = [
    /: b .*Sift_Mail is not free: the plug-in a has it/,
    /: c .*vision is not free: the program has it/,
    /: d .*letters, digits and _/,
    /: e .*allow_model_override is not set/,
    /: f .*allow_provider_override is not set/,
    /: g .*allow_model_override is not set/,
    /: h .*for the owner to set/,
  ];
  for (const [index, line] of told.entries()) assert.match(line, why[index] ?? /nothing more/);
});

test('a terminal command that is taken, by the program or another plug-in, is told in one line and left out', async (t) => {
  const { plugin, load } = homeOf(t);
  const code = (...names: string[]) =>
    `export default (ctx) => { for (const name of ${JSON.stringify(names)}) ctx.registerCliCommand({ name, handler_fn: () => 0 }); };`;
  plugin('a', code('jot', 'config'));
  plugin('work/b', code('jot', 'other'));
  const { loaded, told } = await load(['a', 'work/b']);
  assert.deepEqual(
    loaded.cliCommands.map(({ name, plugin: key }) => `${key} ${name}`),
    ['a jot', 'work/b other'],
  );
  assert.deepEqual(told, [
    "plugins: a: its command 'hermes config' is left out: the program has one of that name",
    "plugins: work/b: its command 'hermes jot' is left out: the plug-in a has one of that name",
  ]);
});

test('a plug-in sees the variables that its manifest names, and only those', async (t) => {
  const { plugin, load } = homeOf(t);
  plugin(
    'sees',
    `export default (ctx) => ctx.log.info(JSON.stringify({ ...ctx.env, other: ctx.env.OTHER }));`,
    'optional_env: [SEEN, {name: UNSET}]\n',
  );
  const { logged } = await load(['sees'], false, { SEEN: 'a', OTHER: 'b' });
  assert.ok(logged.includes('sees: {"SEEN":"a"}'), logged.join('\n'));
});
