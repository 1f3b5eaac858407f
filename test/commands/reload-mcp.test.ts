/** `/reload-mcp` as it is typed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { fakeEntry } from '../mcp/support.ts';
import { openConversation } from './conversation.ts';

test('/reload-mcp asks first, then says what is connected and what is not', async (t) => {
  await using server = await startModelServer();
  const servers = { good: fakeEntry({ tools: [{ name: 'echo' }] }), broken: { command: '/nowhere/at-all' } };
  const chat = await openConversation(t, server, `mcp_servers: ${JSON.stringify(servers)}\n`);
  chat.answer = false;
  assert.equal(await chat.type('/reload-mcp'), '🟡 /reload-mcp cancelled. The servers stay as they are.');
  chat.answer = true;
  const said = await chat.type('/reload-mcp');
  assert.match(said, /1 MCP server connected, 1 tool\./);
  assert.match(said, /✗ broken: .*\/nowhere\/at-all/);
  assert.equal(chat.asked.length, 2);
  await chat.type('/reload-mcp now');
  assert.equal(chat.asked.length, 2);
});
