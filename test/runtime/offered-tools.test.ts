/** Which tools a first request offers, by what the command line, the configuration and the variables say. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { browserNavigateTool } from '../../src/tools/browser/navigate.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { openWorkplace } from '../tools/file/support.ts';
import { fakeEntry } from '../mcp/support.ts';
import { homeWithPlugins } from '../plugins/plugin-home.ts';
import { type ChatOptions, openChat, type PlaceOptions, textOf } from './support.ts';

async function offered(t: TestContext, config: string, options: ChatOptions & PlaceOptions = {}) {
  await using server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  const chat = await openChat(t, server, config, options);
  await chat.say('hi');
  return {
    names: namesIn(server),
    warnings: chat.session.warnings,
    body: JSON.stringify(server.lastRequest.body.tools),
  };
}

const namesIn = (server: ModelServer) => server.lastRequest.body.tools?.map(({ function: { name } }) => name) ?? [];

const files = ['patch', 'read_file', 'search_files', 'write_file'];
const web = ['web_extract', 'web_search'];

for (const [what, config, toolsets, expected] of [
  ['debugging means the terminal, files and the web', '', ['debugging'], [...files, 'process', 'terminal', ...web]],
  ['a name of an older release means its set', '', ['web_tools'], web],
  ['a set of one’s own', 'custom_toolsets: {ds: [file, web]}\n', ['ds'], [...files, ...web]],
  [
    'what is disabled goes from a list too',
    'agent: {disabled_toolsets: [web]}\nplatform_toolsets: {cli: [web, file]}\n',
    undefined,
    files,
  ],
] as const)
  test(`a session is offered exactly what was chosen: ${what}`, async (t) => {
    const { names } = await offered(t, config, toolsets === undefined ? {} : { toolsets });
    assert.deepEqual(names, [...expected].toSorted());
  });

test('safe has neither a terminal nor files', async (t) => {
  const { names } = await offered(t, '', { toolsets: ['safe'], env: { FAL_KEY: 'fal-1' } });
  assert.deepEqual(names, ['image_generate', 'vision_analyze', ...web]);
});

test('a set that nobody knows is told, and the session starts with the others', async (t) => {
  const { names, warnings } = await offered(t, '', { toolsets: ['web', 'bogus'] });
  assert.deepEqual(names, web);
  assert.match(warnings.join('\n'), /'bogus' is not known to this build; ignored/);
});

test('the house is there with its token alone, and nowhere is a tool of the board or one that writes to other chats', async (t) => {
  for (const [env, houses] of [
    [{}, 0],
    [{ HASS_TOKEN: 'token' }, 4],
  ] as const) {
    for (const options of [{ env }, { env, toolsets: ['all'] }]) {
      const { names } = await offered(t, '', options);
      assert.equal(names.filter((name) => name.startsWith('ha_')).length, houses);
      assert.deepEqual(
        names.filter((name) => name === 'send_message' || name.startsWith('kanban_')),
        [],
      );
    }
  }
});

test('what is not offered stands in no description', async (t) => {
  const all = await offered(t, '');
  assert.match(all.body, /from hermes_tools import[^"]*web_search/);
  const { body } = await offered(t, 'agent: {disabled_toolsets: [web]}\n');
  assert.match(body, /from hermes_tools import/);
  assert.doesNotMatch(body, /web_search|web_extract/);
  // Not everywhere is there a browser.
  const { services } = openWorkplace(t);
  const described = (names: readonly string[]) => browserNavigateTool.describe?.(new Set(names), services) ?? '';
  assert.match(described(web), /prefer web_search and web_extract/);
  for (const text of [browserNavigateTool.description, described(files)]) assert.doesNotMatch(text, /web_/);
});

test('what a server or a plug-in describes wrongly is offered in a form that providers take, and can be called', async (t) => {
  await using server = await startModelServer();
  const lying = { type: 'object', anyOf: 'x', properties: { a: 'string', b: { $ref: '#/gone' } }, required: 'a' };
  const told = `{ name: 'odd', toolset: 'acme', schema: ${JSON.stringify(lying)}, handler: ({ a }) => a }`;
  const home = homeWithPlugins(t, { acme: `export default (ctx) => ctx.registerTool(${told});` });
  const servers = { s: fakeEntry({ tools: [{ name: 'echo', inputSchema: lying }] }) };
  const config = `plugins: {enabled: [acme]}\nmcp_discovery_timeout: 60\nmcp_servers: ${JSON.stringify(servers)}\n`;
  server.enqueue(
    { toolCalls: [{ name: 'mcp__s__echo', arguments: { a: 'x' } }] },
    { toolCalls: [{ name: 'odd', arguments: { a: 'y' } }] },
    { text: 'Done.' },
  );
  const chat = await openChat(t, server, config, { home, present: true });
  chat.choice = 'once';
  assert.equal(await chat.say('hi'), 'Done.');
  const schemas = server.lastRequest.body.tools
    ?.filter(({ function: { name } }) => name === 'odd' || name === 'mcp__s__echo')
    .map((tool) => tool.function.parameters);
  const mended = { type: 'object', properties: { a: { type: 'string' }, b: {} } };
  assert.deepEqual(schemas, [mended, mended]);
  const results = server.lastRequest.body.messages.filter(({ role }) => role === 'tool').map(textOf);
  assert.match(results[0] ?? '', /echo \{\\"a\\":\\"x\\"\}/);
  assert.match(results[1] ?? '', /y/);
});
