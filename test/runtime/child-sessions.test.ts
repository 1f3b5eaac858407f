/** Sessions that work for another one, and tools that come and go between turns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headless } from '../../src/agent/human.ts';
import type { Tool } from '../../src/agent/tool.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { serverTool } from './delegation/support.ts';
import { chatAt, errorOf, openChat } from './support.ts';

const usage = { prompt_tokens: 900, completion_tokens: 100 };

test('a session that works for another one is its child, and begins with what has entered it', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  const chat = await openChat(t, server);
  const page = { from: 'page', name: 'tea.example' } as const;
  await chat.session.agent.runConversation({ content: 'sum up', sources: [{ from: 'user' }, page] });
  const child = await chat.program.openSession({ surface: 'cli', human: headless, parent: chat.session });
  await child.agent.runConversation('do a part of it');
  assert.equal((await child.row())?.parent_session_id, chat.session.id);
  assert.ok((await chat.store.sessions.sources(child.id)).some(({ name }) => name === page.name));

  // The same child, in another process.
  const resumed = await chatAt(chat.place, { resume: child.id, present: true });
  server.enqueue(
    { toolCalls: [{ name: 'memory', arguments: { action: 'add', content: 'As the page says.' } }] },
    { text: 'Noted.' },
  );
  await resumed.say('remember it');
  assert.match(resumed.asked.at(-1)?.sources?.join() ?? '', /tea\.example/);
});

test('what a child spends counts in the turn and the session that it works for', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Done.', usage }) });
  const chat = await openChat(t, server, 'limits:\n  session_tokens: 3500\n');
  await chat.say('one');
  for (const task of ['first', 'second']) {
    const child = await chat.program.openSession({ surface: 'cli', human: headless, parent: chat.session });
    assert.equal(errorOf(await child.agent.runConversation(task)), undefined);
    // A child of a child counts as well.
    if (task === 'second') {
      const grandchild = await chat.program.openSession({ surface: 'cli', human: headless, parent: child });
      assert.equal(errorOf(await grandchild.agent.runConversation('a part')), undefined);
    }
  }
  const refused = await chat.session.agent.runConversation('two');
  assert.match(errorOf(refused) ?? '', /4,000 of 3,500 tokens this session/);
  const late = await chat.program.openSession({ surface: 'cli', human: headless, parent: chat.session });
  assert.match(errorOf(await late.agent.runConversation('third')) ?? '', /4,000 of 3,500 tokens this session/);
});

test('tools of a server come behind the others and go again; what they say is text of the server', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'Done.' }) });
  let offered: readonly Tool<unknown>[] = [];
  const chat = await openChat(t, server, '', { present: true, tools: () => offered });
  const sent = () => server.lastRequest.body.tools?.map(({ function: { name } }) => name) ?? [];
  await chat.say('one');
  const before = sent();
  offered = [serverTool('mcp_tea_steep')];
  server.enqueue({ toolCalls: [{ name: 'mcp_tea_steep', arguments: {} }] }, { text: 'It is ready.' });
  await chat.say('make tea');
  assert.deepEqual(sent(), [...before, 'mcp_tea_steep']);
  assert.ok(chat.session.tools.some(({ toolset }) => toolset === 'mcp-tea'));
  assert.ok((await chat.session.prompt.parts()).tools.some(({ name }) => name === 'mcp_tea_steep'));
  assert.ok((await chat.store.sessions.sources(chat.session.id)).some(({ from }) => from === 'server'));
  offered = [];
  await chat.say('thank you');
  assert.deepEqual(sent(), before);
});
