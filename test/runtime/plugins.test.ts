/** Plug-ins in a whole program: their tools are offered, judged, heard of by hooks, and their text is from outside. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestContext, test } from 'node:test';
import { temporaryHome } from '../config/temporary-home.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { homeWithPlugins } from '../plugins/plugin-home.ts';
import { chatAt, placeFor, textOf } from './support.ts';

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args }] });

/** A home with one plug-in, which is enabled. */
function placeWithPlugin(t: TestContext, server: { readonly url: string }, code: string, moreConfig = '') {
  const home = temporaryHome(t);
  const folder = join(home.home.path, 'plugins', 'notes');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'plugin.yaml'), 'version: 1.0\n');
  writeFileSync(join(folder, 'index.mjs'), code);
  return placeFor(t, server, `plugins:\n  enabled: [notes]\n${moreConfig}`, { home });
}

const tools = `import { appendFileSync, writeFileSync } from 'node:fs';
export default (ctx) => {
  const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  ctx.registerTool({ name: 'note', toolset: 'notes', description: 'Keep a note.', schema,
    handler: async ({ text }, { session_id }) => ({ kept: text, session: session_id }) });
  ctx.registerTool({ name: 'fails', toolset: 'notes', schema: { type: 'object' }, handler: () => { throw new Error('no luck'); } });
  ctx.registerTool({ name: 'hidden', toolset: 'notes', schema: { type: 'object' }, check_fn: () => false, handler: () => '' });
  ctx.registerHook('pre_tool_call', ({ tool_name }) => appendFileSync(import.meta.dirname + '/names', tool_name + ' '));
  ctx.registerHook('post_tool_call', ({ result }) => writeFileSync(import.meta.dirname + '/seen', result));
};`;

test('the tools of a plug-in are offered and run, also more than once, and what they say is text from outside', async (t) => {
  await using server = await startModelServer();
  server.enqueue(call('note', { text: 'a' }), call('note', { text: 'b' }), call('note'), call('fails'), { text: 'ok' });
  const place = placeWithPlugin(t, server, tools);
  const chat = await chatAt(place);
  await chat.say('keep it');
  const offered = server.requests[0]?.body.tools?.map((tool) => tool.function.name) ?? [];
  assert.ok(offered.includes('note') && offered.includes('terminal') && !offered.includes('hidden'));
  const results = server.lastRequest.body.messages.filter(({ role }) => role === 'tool').map(textOf);
  assert.deepEqual(results.slice(0, 2), [
    JSON.stringify({ kept: 'a', session: chat.session.id }),
    JSON.stringify({ kept: 'b', session: chat.session.id }),
  ]);
  assert.match(results[2] ?? '', /Invalid arguments for note: text must be given/);
  assert.match(results[3] ?? '', /"error":".*no luck/);
  assert.equal(place.read('plugins/notes/seen'), results[3]);
  const sources = await chat.store.sessions.sources(chat.session.id);
  assert.ok(sources.some(({ from, name }) => from === 'program' && name === 'plug-in notes'));
});

test('after text from outside a person is asked before a plug-in gets it', async (t) => {
  await using server = await startModelServer();
  const other = join('plugins', 'weather');
  const place = placeWithPlugin(t, server, tools, '');
  mkdirSync(join(place.homePath, other), { recursive: true });
  writeFileSync(join(place.homePath, other, 'plugin.yaml'), 'version: 1\n');
  writeFileSync(
    join(place.homePath, other, 'index.mjs'),
    `export default (ctx) => ctx.registerHook('pre_llm_call', () => 'rain');`,
  );
  const config = place.read('config.yaml').replace('[notes]', '[notes, weather]');
  writeFileSync(join(place.homePath, 'config.yaml'), config);
  server.enqueue(call('note', { text: 'a' }), { text: 'ok' });
  const chat = await chatAt(place, { present: true });
  await chat.say('keep it');
  assert.equal(chat.asked.length, 1);
  assert.match(chat.asked[0]?.reasons.join() ?? '', /uses the tool note of the plug-in notes.*plug-in weather/);
  assert.match(textOf(server.lastRequest.body.messages.at(-1)), /did not consent|denied|BLOCKED/i);
});

test('a hook of a plug-in may want a person to approve a call, and with nobody there it does not run', async (t) => {
  await using server = await startModelServer();
  const rule = `export default (ctx) => ctx.registerHook('pre_tool_call', ({ tool_name }) =>
    tool_name === 'write_file' ? { action: 'approve', message: 'files are looked at' } : undefined);`;
  const place = placeWithPlugin(t, server, rule);
  server.enqueue(call('write_file', { path: 'a', content: 'x' }), { text: 'ok' });
  const alone = await chatAt(place);
  await alone.say('write');
  assert.match(textOf(server.lastRequest.body.messages.at(-1)), /BLOCKED.*files are looked at/);
  server.enqueue(call('write_file', { path: 'a', content: 'x' }), { text: 'ok' });
  const watched = await chatAt(place, { present: true });
  watched.choice = 'once';
  await watched.say('write');
  assert.match(watched.asked[0]?.reasons.join() ?? '', /files are looked at/);
  assert.doesNotMatch(textOf(server.lastRequest.body.messages.at(-1)), /BLOCKED/);
});

test('a plug-in that cannot be loaded is told, and the agent answers', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const chat = await chatAt(placeWithPlugin(t, server, `export default () => { throw new Error('broken'); };`));
  assert.equal(await chat.say('hello'), 'ok');
  assert.deepEqual(chat.program.warnings, ['plugins: notes cannot be loaded: broken']);
});

test('read_file of a plug-in is read_file only when the plug-in says so and its owner has agreed', async (t) => {
  await using server = await startModelServer();
  const reading = (
    override: boolean,
  ) => `export default (ctx) => ctx.registerTool({ name: 'read_file', toolset: 'notes',
    schema: { type: 'object' }, override: ${override}, handler: () => ({ read: 'by the plug-in' }) });`;
  const read = async (override: boolean, moreConfig = '') => {
    const place = placeWithPlugin(t, server, reading(override), moreConfig);
    place.put('a.txt', 'what is in it');
    server.enqueue(call('read_file', { path: 'a.txt' }), { text: 'ok' });
    const chat = await chatAt(place);
    await chat.say('read it');
    return { place, told: chat.program.warnings, result: textOf(server.lastRequest.body.messages.at(-1)) };
  };
  const shadowing = await read(false);
  assert.match(shadowing.result, /what is in it/);
  const refused = await read(true);
  assert.match(refused.result, /what is in it/);
  assert.match(
    refused.told.join(),
    /notes .*may not replace the tool read_file: plugins\.entries\.notes\.allow_tool_override/,
  );
  const granted = await read(true, '  entries: {notes: {allow_tool_override: true}}\n');
  assert.equal(granted.result, '{"read":"by the plug-in"}');
  const log = join(granted.place.homePath, 'logs', 'agent.log');
  const info = /INFO .*plug-in notes replaces the tool read_file/;
  while (!existsSync(log) || !info.test(readFileSync(log, 'utf8'))) await sleep(10);
});

test('a plug-in without the variable that it needs is left out by its name, and the agent answers', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const place = placeWithPlugin(t, server, tools);
  writeFileSync(join(place.homePath, 'plugins', 'notes', 'plugin.yaml'), 'requires_env: [FOO_KEY]\n');
  const chat = await chatAt(place);
  assert.equal(await chat.say('hello'), 'ok');
  assert.match(chat.program.warnings.join('\n'), /notes.* needs FOO_KEY/);
  assert.ok(!server.lastRequest.rawBody.includes('Keep a note.'));
});

test('of two plug-ins that block a call the first by its name is heard, and both hear how it ended', async (t) => {
  await using server = await startModelServer();
  const code = (name: string) => `import { appendFileSync } from 'node:fs';
export default (ctx) => {
  ctx.registerHook('pre_tool_call', () => ({ action: 'block', message: 'no, says ${name}' }));
  ctx.registerHook('post_tool_call', ({ status, error_type }) =>
    appendFileSync(import.meta.dirname + '/heard', status + ' ' + error_type));
};`;
  const home = homeWithPlugins(t, { zebra: code('zebra'), ant: code('ant') });
  const place = placeFor(t, server, 'plugins:\n  enabled: [zebra, ant]\n', { home });
  server.enqueue(call('write_file', { path: 'made', content: 'x' }), { text: 'ok' });
  const chat = await chatAt(place);
  await chat.say('go');
  assert.equal(textOf(server.lastRequest.body.messages.at(-1)), '{"error":"no, says ant"}');
  assert.equal(existsSync(join(place.work, 'made')), false);
  for (const name of ['zebra', 'ant']) assert.equal(place.read(`plugins/${name}/heard`), 'blocked plugin_block');
});

test('a plug-in of the project stands in the place of one at home where HERMES_ENABLE_PROJECT_PLUGINS says so', async (t) => {
  const code = (answer: string) => `export default (ctx) => ctx.registerCommand('who', () => '${answer}');`;
  const answers = async (env: Readonly<Record<string, string>>) => {
    const home = homeWithPlugins(t, { notes: code('of the home') });
    const place = placeFor(t, undefined, 'plugins:\n  enabled: [notes, other]\n', { home, env });
    place.put('.hermes/plugins/notes/plugin.yaml', 'version: 1\n');
    place.put('.hermes/plugins/notes/index.mjs', code('of the project'));
    place.put('.hermes/plugins/other/plugin.yaml', 'version: 1\n');
    place.put('.hermes/plugins/other/index.mjs', code('second'));
    const { plugins } = await place.open();
    const [who] = plugins.commands.offered(() => false);
    return [await who?.run('', { id: 's', door: undefined }), [...plugins.outcomes.keys()]];
  };
  assert.deepEqual(await answers({}), ['of the home', ['notes']]);
  assert.deepEqual(await answers({ HERMES_ENABLE_PROJECT_PLUGINS: 'true' }), ['of the project', ['notes', 'other']]);
});

test('where tools are searched for, those of a plug-in are found and called that way, and hooks hear their own name', async (t) => {
  await using server = await startModelServer();
  const place = placeWithPlugin(t, server, tools, 'tools: {tool_search: {enabled: true}}\n');
  server.enqueue(
    call('tool_search', { query: 'keep a note' }),
    call('tool_call', { name: 'note', arguments: { text: 'a' } }),
    call('tool_call', { name: 'hidden', arguments: {} }),
    { text: 'ok' },
  );
  const chat = await chatAt(place);
  await chat.say('keep it');
  const offered = server.requests[0]?.body.tools?.map((tool) => tool.function.name) ?? [];
  assert.ok(offered.includes('tool_search') && !offered.includes('note') && offered.includes('terminal'));
  const [found = '', kept = '', hidden = ''] = server.lastRequest.body.messages
    .filter(({ role }) => role === 'tool')
    .map(textOf);
  assert.match(found, /"name":"note","source":"plugin","source_name":"notes"/);
  assert.match(kept, /"kept":"a"/);
  assert.match(hidden, /no tool 'hidden' to find here/);
  assert.equal(place.read('plugins/notes/names'), 'tool_search note tool_call ');
});

const dispatching = `import { appendFileSync } from 'node:fs';
export default (ctx) => {
  const schema = { type: 'object', properties: { name: { type: 'string' }, args: { type: 'object' } } };
  ctx.registerTool({ name: 'relay', toolset: 'notes', schema, handler: ({ name, args }) => ctx.dispatchTool(name, args) });
  ctx.registerCommand('relay', async (line) => {
    const [name, args] = line.split(' ', 2);
    return await ctx.dispatchTool(name, JSON.parse(args));
  });
  ctx.registerHook('pre_tool_call', ({ tool_name }) => appendFileSync(import.meta.dirname + '/seen', tool_name + ' '));
  ctx.registerHook('pre_llm_call', async () => {
    await ctx.dispatchTool('todo').catch((error) => appendFileSync(import.meta.dirname + '/refused', error.message));
  });
};`;

test('a tool of a plug-in calls others: each is judged, heard of by hooks and asked about like one of the model', async (t) => {
  await using server = await startModelServer();
  const place = placeWithPlugin(t, server, dispatching);
  place.put('a.txt', 'hello there');
  server.enqueue(
    call('relay', { name: 'read_file', args: { path: 'a.txt' } }),
    call('relay', { name: 'terminal', args: { command: 'rm -rf ../work' } }),
    call('relay', { name: 'nothing', args: {} }),
    call('relay', { name: 'relay', args: { name: 'todo' } }),
    { text: 'ok' },
  );
  const chat = await chatAt(place);
  await chat.say('go');
  const results = server.lastRequest.body.messages.filter(({ role }) => role === 'tool').map(textOf);
  assert.match(results[0] ?? '', /hello there/);
  assert.match(results[1] ?? '', /BLOCKED|denied/i);
  assert.match(results[2] ?? '', /there is no tool 'nothing' here/);
  assert.match(results[3] ?? '', /cannot call more/);
  assert.ok(place.read('plugins/notes/seen').startsWith('relay read_file relay terminal relay relay relay'));
  assert.match(place.read('plugins/notes/refused'), /a hook cannot call tools/);
});

test('a command of a plug-in calls tools of its conversation while no turn runs', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const place = placeWithPlugin(t, server, dispatching);
  place.put('a.txt', 'hello there');
  const chat = await chatAt(place, { present: true });
  const [relay] = chat.program.plugins.commands.offered(() => false);
  assert.ok(relay !== undefined);
  const session = { id: chat.session.id, door: chat.session.knowledge.door };
  assert.match((await relay.run('read_file {"path":"a.txt"}', session)) ?? '', /hello there/);
  assert.match(
    (await relay.run('terminal {"command":"chmod\\t-R\\t777\\t/"}', session)) ?? '',
    /BLOCKED|denied|consent/i,
  );
  assert.equal(place.read('plugins/notes/seen'), 'read_file terminal ');
  assert.equal(server.requests.length, 0);
  await chat.say('go on');
  const turn = chat.session.agent.run('once more');
  await turn.next();
  assert.match((await relay.run('todo {}', session)) ?? '', /a turn is under way/);
  for (let next = await turn.next(); next.done !== true; next = await turn.next());
});

test('a plug-in says something at a terminal: in the place of the person, as text from outside; elsewhere nobody hears it', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const code = `export default (ctx) => ctx.registerCommand('say', (text) => String(ctx.injectMessage(text, 'system')));`;
  const chat = await chatAt(placeWithPlugin(t, server, code));
  const { commands, conversations } = chat.program.plugins;
  const [say] = commands.offered(() => false);
  const session = { id: chat.session.id, door: chat.session.knowledge.door };
  assert.equal(await say?.run('the build is red', session), 'false');
  const said: string[] = [];
  conversations?.attach({ current: () => session.door, say: (by, text) => void said.push(`${by}: ${text}`) });
  assert.equal(await say?.run('the build is red', session), 'true');
  assert.deepEqual(said, ['plug-in notes: [system] the build is red']);
});

const asking = `export default (ctx) => {
  const shown = async (work) => JSON.stringify(await work().catch((error) => error.name + ': ' + error.message));
  ctx.registerCommand('complete', (line) => shown(() => ctx.llm.complete({ messages: [{ role: 'user', content: 'hello' }], ...JSON.parse(line || '{}') })));
  ctx.registerCommand('structured', (line) => shown(() => ctx.llm.completeStructured({ instructions: 'Read it.', input: ['5 apples'], ...JSON.parse(line) })));
};`;

test('a plug-in asks a model as far as its owner allows, in the books of the conversation and without its keys', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: '{"count": 5}' }) });
  const place = placeWithPlugin(t, server, asking);
  const ask = async (grants: string, name: string, line: string): Promise<string> => {
    const config = `  entries:\n    notes:\n      llm: ${grants}\n`;
    const before = place.read('config.yaml');
    writeFileSync(join(place.homePath, 'config.yaml'), before + config);
    const chat = await chatAt(place);
    writeFileSync(join(place.homePath, 'config.yaml'), before);
    const command = chat.program.plugins.commands.offered(() => false).find((each) => each.name === name);
    const said = await command?.run(line, { id: chat.session.id, door: chat.session.knowledge.door });
    await chat.program.close();
    return said ?? '';
  };
  const plain = await ask('{}', 'complete', '{"purpose": "greeting", "max_tokens": 50}');
  const { usage, ...rest } = JSON.parse(plain);
  assert.deepEqual(rest, {
    text: '{"count": 5}',
    provider: 'custom',
    model: 'test-model',
    agent_id: 'default',
    audit: { plugin_id: 'notes', purpose: 'greeting', profile: '' },
  });
  assert.ok(usage.total_tokens > 0 && usage.cost_usd === null);
  assert.deepEqual(server.lastRequest.body.messages.map(textOf), ['hello']);
  assert.doesNotMatch(plain, /test-key/);
  assert.match(await ask('{}', 'complete', '{"model": "x"}'), /PluginLlmTrustError: it may not choose the model/);
  const granted = '{allow_model_override: true, allowed_models: [x]}';
  assert.equal(JSON.parse(await ask(granted, 'complete', '{"model": "x"}')).model, 'x');
  assert.match(await ask(granted, 'complete', '{"model": "y"}'), /TrustError.*'y'.*allowed_models/);
  assert.match(await ask(granted, 'complete', '{"provider": "openai"}'), /TrustError.*allow_provider_override/);
  assert.match(await ask(granted, 'complete', '{"agent_id": "b"}'), /TrustError.*allow_agent_id_override/);
  assert.match(await ask('{}', 'complete', '{"messages": []}'), /TypeError: llm\.complete/);
  const schema = '{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}';
  const read = JSON.parse(await ask('{}', 'structured', `{"json_schema": ${schema}, "schema_name": "apples"}`));
  assert.deepEqual([read.parsed, read.content_type, read.audit.schema_name], [{ count: 5 }, 'json', 'apples']);
  const wrong = await ask('{}', 'structured', `{"json_schema": ${schema.replace('integer', 'string')}}`);
  assert.match(wrong, /UserError: the answer does not fit/);
  assert.equal(JSON.parse(await ask('{}', 'structured', '{}')).parsed, null);
  const audit = /plugins\.notes.*asked test-model of custom: \d+ tokens, for "greeting"/;
  while (!audit.test(place.read('logs/agent.log'))) await sleep(10);
});

test('a plug-in asks the model of its own side task, which its owner sets like that of any task', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }) });
  const code = `export default (ctx) => {
    ctx.registerAuxiliaryTask({ key: 'sift_mail', display_name: 'Sift mail', defaults: { timeout: 45 } });
    const ask = (task) => ctx.llm.complete({ messages: [{ role: 'user', content: 'hello' }], task });
    ctx.registerCommand('sift', async (task) => (await ask(task).catch((error) => ({ model: error.message }))).model);
  };`;
  const place = placeWithPlugin(t, server, code);
  const config = place.read('config.yaml');
  const ask = async (task: string): Promise<string> => {
    const chat = await chatAt(place);
    const [sift] = chat.program.plugins.commands.offered(() => false);
    const said = await sift?.run(task, { id: chat.session.id, door: chat.session.knowledge.door });
    await chat.program.close();
    return said ?? '';
  };
  assert.equal(await ask('sift_mail'), 'test-model');
  assert.match(await ask('vision'), /the task 'vision' is none that this plug-in has registered/);
  const settings = '{model: cheap-model, timeout: soon, temperature: 0.3, extra_body: {top_p: 0.5}}';
  writeFileSync(join(place.homePath, 'config.yaml'), `${config}auxiliary:\n  sift_mail: ${settings}\n`);
  assert.equal(await ask('sift_mail'), 'cheap-model');
  const { model, temperature, top_p } = server.lastRequest.body;
  assert.deepEqual({ model, temperature, top_p }, { model: 'cheap-model', temperature: 0.3, top_p: 0.5 });
});

test('a skill of a plug-in is loaded by its whole name, says what else there is, and is neither listed nor changed', async (t) => {
  await using server = await startModelServer();
  const code = `export default (ctx) => {
    ctx.registerSkill('one', import.meta.dirname + '/skills/one/SKILL.md', 'First');
    ctx.registerSkill({ name: 'two', path: import.meta.dirname + '/skills/two' });
  };`;
  const place = placeWithPlugin(t, server, code);
  for (const name of ['one', 'two']) {
    const folder = join(place.homePath, 'plugins', 'notes', 'skills', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${name}\ndescription: The ${name}\n---\nDo ${name}.\n`);
  }
  server.enqueue(
    call('skill_view', { name: 'notes:one' }),
    call('skills_list'),
    call('skill_manage', { action: 'patch', name: 'notes:one', old_string: 'Do', new_string: 'Undo' }),
    call('skill_view', { name: 'one' }),
    { text: 'ok' },
  );
  const chat = await chatAt(place);
  await chat.say('look');
  const [system, ...rest] = server.lastRequest.body.messages;
  assert.doesNotMatch(textOf(system), /The one/);
  const [viewed = '', listed = '', changed = '', bare = ''] = rest.filter(({ role }) => role === 'tool').map(textOf);
  assert.match(viewed, /part of the plug-in notes\. Other skills of it.*: notes:two\.\]\\n\\n.*Do one\./);
  assert.doesNotMatch(listed, /The one/);
  assert.match(changed, /Skills of plugins cannot be changed: notes:one/);
  assert.match(bare, /"success":false/);
});
