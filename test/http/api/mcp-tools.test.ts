/** Tools of MCP servers behind the API: a real process, called by the model of a request. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEntry } from '../../mcp/support.ts';
import { startApi } from './support.ts';

test('a request has the tools of a server, and its answer is made of what one of them said', async (t) => {
  const servers = { s: fakeEntry({ tools: [{ name: 'echo' }] }) };
  // A loaded machine takes its time to start a process.
  const config = `mcp_discovery_timeout: 60\nmcp_servers: ${JSON.stringify(servers)}\n`;
  const api = await startApi(t, { config });
  const call = { toolCalls: [{ name: 'mcp__s__echo', arguments: { text: 'hello' } }] };
  api.model.enqueue(call, { text: 'It said hello.' });
  const messages = [{ role: 'user', content: 'ask the server' }];
  const response = await api.post('/v1/chat/completions', { model: 'any', messages });
  const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
  assert.equal(choices[0]?.message.content, 'It said hello.');
  const { body } = api.model.lastRequest;
  assert.ok(body.tools?.some(({ function: { name } }) => name === 'mcp__s__echo'));
  assert.match(JSON.stringify(body.messages.at(-1)), /echo \{.*text.*hello.*\}/);
  assert.deepEqual(api.model.violations, []);
});
