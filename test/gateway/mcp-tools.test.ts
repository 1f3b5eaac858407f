/** Tools of MCP servers in chats: a real process, called by the model of a conversation. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { fakeEntry } from '../mcp/support.ts';
import { openGateway } from './support.ts';

const quiet =
  'auxiliary:\n  title_generation:\n    enabled: false\ndisplay:\n  platforms:\n    fake:\n      streaming: false\n      tool_progress: off\n';
/** A loaded machine takes its time to start a process. */
const patient = 'mcp_discovery_timeout: 60\n';

async function opened(t: TestContext) {
  const server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  t.after(() => server[Symbol.asyncDispose]());
  const tools = { tools: [{ name: 'echo' }, { name: 'ask' }] };
  const servers = { s: fakeEntry(tools), hasty: fakeEntry(tools, { elicitation: { timeout: 0.1 } }) };
  const config = `${quiet}${patient}mcp_servers: ${JSON.stringify(servers)}\n`;
  const gateway = await openGateway(t, server, { config });
  const result = () => JSON.stringify(server.lastRequest.body.messages.at(-1));
  return { server, result, ...gateway };
}

/** The server asks its own question while its tool runs. */
const asking = (name: string) => ({
  toolCalls: [
    {
      name: `mcp__${name}__ask`,
      arguments: {
        method: 'elicitation/create',
        params: { message: 'May I?', requestedSchema: { type: 'object', properties: {} } },
      },
    },
  ],
});

test('a person in a chat gets what a tool of a server answered, and is asked before the next call', async (t) => {
  const { server, fake, result } = await opened(t);
  const call = { toolCalls: [{ name: 'mcp__s__echo', arguments: { text: 'hello' } }] };
  server.enqueue(call, { text: 'It said hello.' });
  await fake.say('ask the server');
  await fake.until(() => fake.texts().includes('It said hello.'));
  assert.match(result(), /echo \{.*text.*hello.*\}/);
  server.enqueue(call, { text: 'Not again.' });
  await fake.say('once more');
  await fake.until(() => fake.texts().some((text) => text.includes('calls echo of the tool server s')));
  await fake.say('/deny');
  await fake.until(() => fake.texts().includes('Not again.'));
  assert.match(result(), /denied/);
  assert.deepEqual(server.violations, []);
});

test('a question of a server is asked in the chat: a yes accepts, a no declines, and where nobody answers in time it is withdrawn', async (t) => {
  const { server, fake, result } = await opened(t);
  server.enqueue(asking('s'), { text: 'It may.' });
  await fake.say('go');
  await fake.until(() => fake.texts().some((text) => text.includes('May I?')));
  await fake.say('/approve');
  await fake.until(() => fake.texts().includes('It may.'));
  assert.match(result(), /action\W+accept/);
  server.enqueue(asking('s'), { text: 'It may not.' });
  await fake.say('again');
  await fake.until(() => fake.texts().some((text) => text.includes('calls ask of the tool server s')));
  const before = fake.texts().length;
  await fake.say('/approve');
  await fake.until(() =>
    fake
      .texts()
      .slice(before)
      .some((text) => text.includes('May I?')),
  );
  await fake.say('/deny');
  await fake.until(() => fake.texts().includes('It may not.'));
  assert.match(result(), /action\W+decline/);
  const elsewhere = {
    platform: 'fake',
    chat_id: 'g1',
    chat_name: 'Group',
    chat_type: 'group' as const,
    user_id: 'bob',
    user_name: 'bob',
    thread_id: null,
    chat_topic: null,
  };
  server.enqueue(asking('hasty'), { text: 'Nobody said so.' });
  await fake.say('go', { source: elsewhere });
  await fake.until(() => fake.texts('g1').includes('Nobody said so.'));
  assert.match(result(), /action\W+cancel/);
});

test('a platform that names one of two servers has the tools of that one, the same in each request and in order', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  const servers = { a: fakeEntry({ tools: [{ name: 'echo' }] }), b: fakeEntry({ tools: [{ name: 'echo' }] }) };
  const config = `${quiet}${patient}platform_toolsets:\n  fake: [file, a]\nmcp_servers: ${JSON.stringify(servers)}\n`;
  const { fake } = await openGateway(t, server, { config });
  const offered = async (text: string): Promise<string> => {
    const said = fake.texts().length;
    await fake.say(text);
    await fake.until(() => fake.texts().length > said);
    return JSON.stringify(server.lastRequest.body.tools);
  };
  const first = await offered('hello');
  const names = (JSON.parse(first) as { function: { name: string } }[]).map((tool) => tool.function.name);
  assert.deepEqual(names, [...names].sort());
  assert.deepEqual(
    names.filter((name) => name.startsWith('mcp__')),
    ['mcp__a__echo'],
  );
  await fake.say('/new now');
  await fake.until(() => fake.texts().length > 1);
  assert.equal(await offered('hello again'), first, 'to the byte, also in a new conversation');
});
