/** Sub-agents that the conversation waits for. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { headless } from '../../../src/agent/human.ts';
import { startModelServer, type RecordedRequest } from '../../fakes/model-server.ts';
import { openChat, textOf } from '../support.ts';
import { delegating, isChild, serverTool, toldIn } from './support.ts';

const toolsOf = ({ body }: RecordedRequest) => body.tools?.map(({ function: { name } }) => name) ?? [];

test('a task is done in a conversation of its own, and its summary comes back', async (t) => {
  await using server = await startModelServer({
    respond: delegating({ goal: 'count the foxes', context: 'they are red' }, () => ({ text: 'Three foxes.' })),
  });
  const chat = await openChat(t, server);
  chat.place.put('AGENTS.md', 'Rules of the project.');
  assert.equal(await chat.say('how many?'), 'Thank you.');
  const { results } = toldIn(chat);
  const [entry = {}] = results;
  assert.equal(entry['status'], 'completed');
  assert.equal(entry['summary'], 'Three foxes.');
  assert.equal(entry['exit_reason'], 'completed');
  assert.equal(entry['api_calls'], 1);
  const asked = server.requests.find(isChild);
  assert.ok(asked !== undefined);
  assert.match(textOf(asked.body.messages[0]), /count the foxes[^]*they are red/);
  assert.doesNotMatch(textOf(asked.body.messages[0]), /Rules of the project/);
  assert.equal(asked.body.messages.length, 2, 'nothing of the conversation goes along');
  assert.deepEqual(server.violations, []);
  const transcript = readFileSync(String(entry['live_transcript']), 'utf8');
  assert.match(transcript, /assistant\| Three foxes\.\n.*status=completed/);
});

test('a sub-agent is stored as one of its parent and is not listed', async (t) => {
  await using server = await startModelServer({ respond: delegating({ goal: 'look' }, () => ({ text: 'Seen.' })) });
  const chat = await openChat(t, server);
  await chat.say('go');
  const listed = await chat.store.sessions.list({});
  assert.deepEqual(
    listed.map(({ id }) => id),
    [chat.session.id],
  );
});

test('a call without a task says what is missing', async (t) => {
  for (const [args, error] of [
    [{}, /'goal'.*'tasks'/],
    [{ goal: '  ' }, /Task 0 is missing a 'goal'/],
    [{ tasks: [{ goal: 'a' }, { context: 'b' }] }, /Task 1 is missing a 'goal'/],
    [{ tasks: ['a', 'b', 'c', 'd'].map((goal) => ({ goal })) }, /4 of at most 3/],
  ] as const) {
    await using server = await startModelServer({ respond: delegating(args, () => ({ text: 'no' })) });
    const chat = await openChat(t, server);
    await chat.say('go');
    assert.match(String(toldIn(chat)['error']), error);
    assert.ok(!server.requests.some(isChild));
  }
});

test('tasks run side by side, and their results stand in the order of the tasks; they may come as JSON text', async (t) => {
  const second = Promise.withResolvers<undefined>();
  const tasks = JSON.stringify([{ goal: 'first' }, { goal: 'second' }]);
  await using server = await startModelServer({
    respond: delegating({ tasks }, async (goal) => {
      if (goal === 'first') await second.promise;
      else second.resolve(undefined);
      return { text: `${goal} is done` };
    }),
  });
  const chat = await openChat(t, server);
  await chat.say('go');
  const { results } = toldIn(chat);
  assert.deepEqual(
    results.map(({ task_index: index, summary }) => [index, summary]),
    [
      [0, 'first is done'],
      [1, 'second is done'],
    ],
  );
});

test('as many tasks as the setting allows run; children that contradict each other are both told, and neither is believed', async (t) => {
  const tasks = ['a', 'b', 'c', 'd'].map((goal) => ({ goal }));
  await using server = await startModelServer({
    respond: delegating({ tasks }, (goal) => ({ text: goal === 'a' ? 'The port is 80.' : 'The port is 443.' })),
  });
  const chat = await openChat(t, server, 'delegation:\n  max_concurrent_children: 4\n');
  await chat.say('go');
  assert.deepEqual(
    toldIn(chat).results.map(({ summary }) => summary),
    ['The port is 80.', 'The port is 443.', 'The port is 443.', 'The port is 443.'],
  );
  const tools = JSON.stringify(server.lastRequest.body.tools);
  assert.match(tools, /At most 4 tasks a call\.[^"]*Their words are claims: check what matters\./);
});

test('a sub-agent calls no tool by a detour that it was not given', async (t) => {
  await using server = await startModelServer({
    respond: delegating({ goal: 'steep' }, (_goal, { body }) =>
      body.messages.some(({ role }) => role === 'tool')
        ? { text: textOf(body.messages.at(-1)) }
        : { toolCalls: [{ name: 'tool_call', arguments: { name: 'mcp__tea__steep', arguments: {} } }] },
    ),
  });
  const config = 'delegation:\n  inherit_mcp_toolsets: false\ntools:\n  tool_search: on\n';
  const chat = await openChat(t, server, config, { tools: () => [serverTool('mcp__tea__steep')] });
  await chat.say('go');
  const summary = String(toldIn(chat).results[0]?.['summary']);
  assert.match(summary, /^Tool 'tool_call' does not exist/);
  assert.doesNotMatch(summary, /steeped/);
});

test('a child that fails is an entry of its own, and the others keep their results', async (t) => {
  await using server = await startModelServer({
    respond: delegating({ tasks: [{ goal: 'bad' }, { goal: 'good' }] }, (goal) =>
      goal === 'bad'
        ? { fault: 'status', status: 400, body: { error: { message: 'no such thing' } } }
        : { text: 'Done.' },
    ),
  });
  const chat = await openChat(t, server);
  await chat.say('go');
  const [bad = {}, good = {}] = toldIn(chat).results;
  assert.deepEqual([bad['status'], bad['exit_reason'], bad['summary']], ['failed', 'error', null]);
  assert.match(String(bad['error']), /no such thing/);
  assert.equal(good['status'], 'completed');
});

test('sub-agents never have the tools that are not for them, whatever sets are named', async (t) => {
  await using server = await startModelServer({ respond: delegating({ goal: 'look' }, () => ({ text: 'Seen.' })) });
  const chat = await openChat(t, server, 'custom_toolsets:\n  terminal:\n    includes: [hermes-cli]\n', {
    toolsets: ['terminal', 'hermes-cli'],
    human: { ...headless, present: true, clarifies: true },
  });
  await chat.say('go');
  const [parent, child] = server.requests;
  assert.ok(parent !== undefined && child !== undefined && isChild(child));
  assert.ok(toolsOf(child).includes('read_file'));
  for (const name of ['delegate_task', 'clarify', 'memory', 'execute_code', 'cronjob']) {
    assert.deepEqual([toolsOf(parent).includes(name), toolsOf(child).includes(name)], [true, false], name);
  }
  assert.ok(!toolsOf(child).includes('send_message'));
});

test('what the parent does not have its sub-agent does not have', async (t) => {
  await using server = await startModelServer({ respond: delegating({ goal: 'look' }, () => ({ text: 'Seen.' })) });
  const chat = await openChat(t, server, '', { toolsets: ['delegation', 'read_file', 'process'] });
  await chat.say('go');
  const child = server.requests.find(isChild);
  assert.deepEqual(child === undefined ? [] : toolsOf(child).toSorted(), ['process', 'read_file']);
});

test('an orchestrator delegates as deep as the limit allows, and no deeper', async (t) => {
  for (const [depth, expected] of [
    [1, [false]],
    [2, [true, false]],
  ] as const) {
    const seen: boolean[] = [];
    await using server = await startModelServer({
      respond: delegating({ goal: 'top', role: 'orchestrator' }, (_goal, request) => {
        const has = toolsOf(request).includes('delegate_task');
        const isFirst = !request.body.messages.some(({ role }) => role === 'tool');
        if (isFirst) seen.push(has);
        return has && isFirst
          ? { toolCalls: [{ name: 'delegate_task', arguments: { goal: 'below', role: 'orchestrator' } }] }
          : { text: 'Done.' };
      }),
    });
    const chat = await openChat(t, server, `delegation:\n  max_spawn_depth: ${depth}\n`);
    await chat.say('go');
    assert.deepEqual(seen, expected);
    assert.equal(toldIn(chat).results[0]?.['status'], 'completed');
  }
});

test('an interrupt ends the sub-agents and those below them, and the conversation goes on', async (t) => {
  const never = Promise.withResolvers<undefined>();
  t.after(() => never.resolve(undefined));
  const below = Promise.withResolvers<undefined>();
  await using server = await startModelServer({
    respond: delegating({ goal: 'top', role: 'orchestrator' }, (goal) => {
      if (goal === 'top') return { toolCalls: [{ name: 'delegate_task', arguments: { goal: 'below' } }] };
      below.resolve(undefined);
      return { text: 'never', gate: never.promise };
    }),
  });
  const chat = await openChat(t, server, 'delegation:\n  max_spawn_depth: 2\n');
  const turn = chat.session.agent.runConversation('go');
  await below.promise;
  assert.equal(chat.session.background.agents.list().length, 2);
  chat.session.agent.interrupt();
  assert.equal((await turn).ended, 'interrupted');
  const [entry = {}] = toldIn(chat).results;
  assert.deepEqual([entry['status'], entry['exit_reason']], ['interrupted', 'interrupted']);
  assert.equal(await chat.say('still there?'), 'Thank you.');
  assert.deepEqual(chat.session.background.agents.list(), []);
});

test('what a sub-agent read from outside is outside text in the conversation as well', async (t) => {
  for (const inherits of [true, false]) {
    await using server = await startModelServer({
      respond: delegating({ goal: 'read' }, (_goal, request) =>
        toolsOf(request).includes('mcp__tea__steep') && !request.body.messages.some(({ role }) => role === 'tool')
          ? { toolCalls: [{ name: 'mcp__tea__steep', arguments: {} }] }
          : { text: 'It says: remember the fox.' },
      ),
    });
    const config = `delegation:\n  inherit_mcp_toolsets: ${inherits}\n`;
    const chat = await openChat(t, server, config, { tools: () => [serverTool('mcp__tea__steep')] });
    await chat.say('go');
    const message = chat.session.agent.history.findLast(({ role }) => role === 'tool');
    assert.equal(
      message?.sources?.some(({ from, name }) => from === 'server' && name === 'tea'),
      inherits,
    );
  }
});

test('a long summary is cut, and the whole of it is in a file', async (t) => {
  const long = `Begin. ${'word '.repeat(2000)}The end.`;
  await using server = await startModelServer({ respond: delegating({ goal: 'tell' }, () => ({ text: long })) });
  const chat = await openChat(t, server, 'delegation:\n  max_summary_chars: 3000\n');
  await chat.say('go');
  const [entry = {}] = toldIn(chat).results;
  const summary = String(entry['summary']);
  assert.ok(summary.length < 3500 && summary.startsWith('Begin.') && summary.endsWith('The end.'));
  assert.equal(entry['summary_truncated'], true);
  assert.equal(readFileSync(String(entry['summary_full_path']), 'utf8'), long);
  assert.ok(existsSync(String(entry['live_transcript'])));
});

test('the record of a sub-agent is text from outside when it is read', async (t) => {
  let path = '';
  await using server = await startModelServer({
    respond(request) {
      if (isChild(request)) return { text: 'Seen.' };
      const told = textOf(request.body.messages.at(-1));
      if (told === 'go') return { toolCalls: [{ name: 'delegate_task', arguments: { goal: 'look' } }] };
      return told === 'read' ? { toolCalls: [{ name: 'read_file', arguments: { path } }] } : { text: 'Thank you.' };
    },
  });
  const chat = await openChat(t, server);
  await chat.say('go');
  path = String(toldIn(chat).results[0]?.['live_transcript']);
  assert.ok(!(await chat.store.sessions.sources(chat.session.id)).some(({ from }) => from === 'unknown'));
  await chat.say('read');
  assert.ok((await chat.store.sessions.sources(chat.session.id)).some(({ from }) => from === 'unknown'));
});

test('a file that the parent has read and a sub-agent changed is named', async (t) => {
  let steps = 0;
  await using server = await startModelServer({
    respond(request) {
      if (isChild(request)) {
        return request.body.messages.some(({ role }) => role === 'tool')
          ? { text: 'Written.' }
          : { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'new' } }] };
      }
      steps += 1;
      if (steps === 1) return { toolCalls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] };
      if (steps === 2) return { toolCalls: [{ name: 'delegate_task', arguments: { goal: 'write it' } }] };
      return { text: 'Thank you.' };
    },
  });
  const chat = await openChat(t, server);
  const path = chat.place.put('a.txt', 'old');
  await chat.say('go');
  const [entry = {}] = toldIn(chat).results;
  assert.deepEqual(entry['stale_paths'], [path]);
  assert.match(String(entry['summary']), /\[NOTE: subagent modified files/);
});
