/** Tools of others that are too many for a request: searched for, described, and called as themselves. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import * as z from 'zod';
import { defineTool } from '../../src/agent/define-tool.ts';
import { answer, type Tool } from '../../src/agent/tool.ts';
import { parseJson } from '../../src/lib/json.ts';
import { unclear } from '../../src/safety/finding.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { type ChatOptions, openChat, textOf } from './support.ts';

const parameters = z.object({ place: z.string() });
const bridge = ['tool_search', 'tool_describe', 'tool_call'];

function serverTool(name: string, description = `Does what ${name} says, and tells what came of it.`): Tool<unknown> {
  const tool = defineTool<unknown, typeof parameters>({
    name,
    toolset: 'mcp-maps',
    description,
    parameters,
    display: { emoji: '🗺️', preview: ({ place }) => place },
    judge: ({ place }) => ({ shown: place, findings: [unclear(`asks the server maps about ${place}`)] }),
    sources: () => [{ from: 'server', name: 'maps' }],
    parallel: 'never',
    execute: ({ place }) => Promise.resolve(answer({ name, place })),
  });
  return { ...tool, addedBy: { kind: 'mcp', name: 'maps' } };
}

function numbered(count: number): readonly Tool<unknown>[] {
  return Array.from({ length: count }, (_, number) => serverTool(`mcp__maps__get_layer_${number}`));
}

async function start(t: TestContext, tools: () => readonly Tool<unknown>[], config = '', more: ChatOptions = {}) {
  const server = await startModelServer({ strict: true });
  t.after(() => server.close());
  const chat = await openChat(t, server, config, { present: true, tools, ...more });
  chat.choice = 'once';
  const run = async (name: string, args: Readonly<Record<string, unknown>>): Promise<unknown> => {
    server.enqueue({ toolCalls: [{ name, arguments: args }] }, { text: 'Done.' });
    await chat.say('go on');
    return parseJson(textOf(server.lastRequest.body.messages.findLast(({ role }) => role === 'tool')));
  };
  return { chat, server, run };
}

const sent = (server: ModelServer) => server.lastRequest.body.tools?.map(({ function: { name } }) => name) ?? [];

test('with 1,000 tools of servers the first request stays under 8,000 tokens, and the prefix as it is', async (t) => {
  let tools = numbered(1000);
  const { chat, server } = await start(t, () => tools);
  server.enqueue({ text: 'Hello.' }, { text: 'Hello.' }, { text: 'Hello.' });
  await chat.say('hi');
  assert.ok(bridge.every((name) => sent(server).includes(name)));
  assert.ok(!sent(server).some((name) => name.startsWith('mcp__')));
  const first = server.lastRequest.body;
  assert.ok(countTokens(JSON.stringify(first)) < 8000, `${countTokens(JSON.stringify(first))} tokens`);
  await chat.say('hi');
  assert.equal(JSON.stringify(server.lastRequest.body.tools), JSON.stringify(first.tools));
  tools = [...tools.slice(5), serverTool('mcp__maps__late')];
  await chat.say('hi');
  assert.equal(JSON.stringify(server.lastRequest.body.tools), JSON.stringify(first.tools), 'what is hidden may change');
});

test('few tools are sent as they are, and the search is off or on where that is wanted', async (t) => {
  const few = numbered(3);
  for (const [config, isOn] of [
    ['', false],
    ['tools: {tool_search: true}\n', false],
    ['tools: {tool_search: {enabled: true}}\n', true],
    ['tools: {tool_search: {threshold_pct: 0}}\n', false],
    ['  context_length: 128000\ntools: {tool_search: {threshold_pct: 0}}\n', true],
  ] as const) {
    const { chat, server } = await start(t, () => few, config);
    server.enqueue({ text: 'Hello.' });
    await chat.say('hi');
    assert.equal(sent(server).includes('tool_search'), isOn, config);
    assert.equal(sent(server).includes('mcp__maps__get_layer_0'), !isOn, config);
  }
  const forty = numbered(40);
  const small = await start(t, () => forty, '  context_length: 16000\n');
  small.server.enqueue({ text: 'Hello.' });
  await small.chat.say('hi');
  assert.deepEqual(
    sent(small.server).filter((name) => bridge.includes(name) || name.startsWith('mcp__')),
    bridge.toSorted(),
    'forty tools are many in a small window',
  );
  const many = numbered(1000);
  const { chat, server } = await start(t, () => many, 'tools: {tool_search: false}\n');
  server.enqueue({ text: 'Hello.' });
  await chat.say('hi');
  assert.equal(sent(server).filter((name) => name.startsWith('mcp__')).length, 1000);
});

test('a tool is found by what it is for, described, and called: judged, shown and recorded under its own name', async (t) => {
  const weather = serverTool('mcp__maps__get_weather', 'The forecast of rain and sun for a place.');
  const { chat, run } = await start(t, () => [...numbered(200), weather]);
  const found = z
    .object({ total_available: z.number(), matches: z.array(z.looseObject({ name: z.string() })) })
    .parse(await run('tool_search', { query: 'rain, Forecast!' }));
  assert.equal(found.total_available, 201);
  assert.deepEqual(found.matches, [
    { name: weather.name, source: 'mcp', source_name: 'maps', description: weather.description },
  ]);
  const described = { name: weather.name, description: weather.description, parameters: weather.schema };
  assert.deepEqual(await run('tool_describe', { name: weather.name }), described);
  const result = await run('tool_call', { name: weather.name, arguments: '{"place":"Rome"}' });
  assert.deepEqual(result, { name: weather.name, place: 'Rome' });
  assert.deepEqual(
    chat.asked.map(({ tool, command }) => [tool, command]),
    [[weather.name, 'Rome']],
  );
  const stored = (await chat.store.messages.list(chat.session.id)).findLast(({ message }) => message.role === 'tool');
  assert.equal(stored?.message.role === 'tool' ? stored.message.tool_name : '', weather.name);
  assert.deepEqual(await run(weather.name, { place: 'Oslo' }), { name: weather.name, place: 'Oslo' });
});

test('what cannot be called that way is told: unknown names, own tools, wrong arguments', async (t) => {
  const { run, chat } = await start(t, () => numbered(200));
  for (const name of ['mcp__maps__gone', 'read_file', 'tool_call']) {
    assert.match(
      JSON.stringify(await run('tool_call', { name, arguments: { path: 'a' } })),
      /no tool '.*' to find here/,
    );
  }
  assert.match(JSON.stringify(await run('tool_describe', { name: 'terminal' })), /no tool 'terminal' to find here/);
  const wrong = { name: 'mcp__maps__get_layer_1', arguments: { place: {} } };
  assert.match(JSON.stringify(await run('tool_call', wrong)), /Invalid arguments for mcp__maps__get_layer_1/);
  assert.deepEqual(chat.asked, []);
});

test('a search answers with as many as are wanted, and a name is found by a part of it', async (t) => {
  const github = ['mcp__github__list', 'mcp__hub__open'].map((name) => serverTool(name, 'x'));
  const { run } = await start(t, () => [...numbered(200), ...github], 'tools: {tool_search: {max_search_limit: 7}}\n');
  const matches = z.object({ matches: z.array(z.looseObject({ name: z.string() })) });
  const names = async (args: Readonly<Record<string, unknown>>) =>
    matches.parse(await run('tool_search', args)).matches.map(({ name }) => name);
  assert.equal((await names({ query: 'layer' })).length, 5);
  assert.equal((await names({ query: 'layer', limit: 50 })).length, 7);
  assert.equal((await names({ query: 'layer', limit: -3 })).length, 1);
  assert.deepEqual(await names({ query: 'ithu' }), ['mcp__github__list']);
  assert.deepEqual(await names({ query: 'GitHub' }), ['mcp__github__list']);
  assert.deepEqual(await names({ query: '' }), []);
});
