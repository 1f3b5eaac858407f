/** An interrupt: what the model had said is kept, marked and sent; calls that have not begun are cancelled. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { agentOn, call, collect, contentOf, countedTool, rolesOf, shownText, testTool } from './support.ts';

test('an interrupt in the middle of an answer keeps its text: shown, stored, in the result, and in the next request', async () => {
  await using server = await startModelServer({ strict: true });
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ text: 'The first half of it', gateAfterFirst: never }, { text: 'second' });
  const { agent, transcript } = agentOn(server);
  const { result, events } = await collect(agent.run('go'), (event) => {
    if (event.type === 'text_delta') agent.interrupt('stop that');
  });
  assert.equal(result.ended, 'interrupted');
  assert.equal('message' in result ? result.message : '', 'stop that');
  const heard = shownText(events);
  assert.ok(heard.length > 0 && 'The first half of it'.startsWith(heard.trim()));
  assert.equal(result.finalResponse, heard.trim());
  assert.ok(!events.some((event) => event.type === 'text_reset'));
  assert.deepEqual(agent.history, [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: heard, kind: 'interrupted' },
  ]);
  assert.deepEqual(transcript.messages, agent.history);
  assert.ok(events.some((event) => event.type === 'message_stored' && event.kind === 'interrupted'));
  assert.equal(await server.requests[0]?.closed, true);
  const next = await collect(agent.run('again'));
  assert.equal(next.result.finalResponse, 'second');
  assert.equal(contentOf(server.lastRequest.body.messages.at(-2)), `${heard} [interrupted]`);
  assert.deepEqual(server.violations, []);
});

test('a connection that breaks in the middle of an answer and does not come back leaves what was said', async () => {
  await using server = await startModelServer({ strict: true });
  server.enqueue({ fault: 'reset', text: 'half an answer' }, { text: 'the rest' });
  const { agent, transcript } = agentOn(server, { retries: 0 });
  const { result, events } = await collect(agent.run('go'));
  assert.equal(result.ended, 'failed');
  assert.equal(result.finalResponse, shownText(events).trim());
  assert.ok(!events.some((event) => event.type === 'text_reset'));
  assert.equal(transcript.messages.at(-1)?.kind, 'interrupted');
  assert.equal((await collect(agent.run('go on'))).result.finalResponse, 'the rest');
  assert.match(contentOf(server.lastRequest.body.messages.at(-2)), /^half an answer.* \[interrupted\]$/);
  assert.deepEqual(server.violations, []);
});

test('what was heard stays until another answer begins: retries that reach nobody void nothing', async () => {
  await using server = await startModelServer();
  const down = { fault: 'status', status: 503 } as const;
  server.enqueue({ fault: 'reset', text: 'half an answer' }, down, down, down);
  const { agent } = agentOn(server);
  const { result, events } = await collect(agent.run('go'));
  assert.equal(result.ended, 'failed');
  assert.match(result.finalResponse ?? '', /^half an answer/);
  assert.ok(!events.some((event) => event.type === 'text_reset'));
  assert.equal(agent.history.at(-1)?.kind, 'interrupted');
});

test('thinking alone that is broken off is no answer', async () => {
  await using server = await startModelServer();
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ reasoning: 'hmm', text: 'x', gateAfterFirst: never });
  const { agent } = agentOn(server);
  const { result } = await collect(agent.run('go'), (event) => {
    if (event.type === 'reasoning_delta') agent.interrupt();
  });
  assert.equal(result.finalResponse, null);
  assert.deepEqual(rolesOf(agent.history), ['user']);
});

test('a turn that was stopped between tools keeps the pieces of an answer that was cut and continued', async () => {
  await using server = await startModelServer();
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ text: 'Hello ', finishReason: 'length' }, { text: 'wor ld', gateAfterFirst: never });
  const { agent } = agentOn(server);
  let deltas = '';
  const { result } = await collect(agent.run('go'), (event) => {
    if (event.type !== 'text_delta') return;
    deltas += event.text;
    if (deltas.includes('w')) agent.interrupt();
  });
  assert.match(result.finalResponse ?? '', /^Hello w/);
});

test('whoever stops reading a turn leaves no tool running, and every call answered', async () => {
  await using server = await startModelServer({ strict: true });
  server.enqueue({ toolCalls: [{ name: 'long' }, { name: 'later' }] }, { text: 'fine' });
  let stopped = false;
  const long = testTool('long', async (_args, signal) => {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    stopped = true;
    return 'cut short';
  });
  const { agent } = agentOn(server, { tools: [long, testTool('later', () => 'never')] });
  for await (const event of agent.run('go')) if (event.type === 'tool_started') break;
  assert.equal(stopped, true);
  assert.equal(agent.busy, false);
  assert.deepEqual(rolesOf(agent.history), ['user', 'assistant', 'tool', 'tool']);
  assert.equal((await collect(agent.run('next'))).result.finalResponse, 'fine');
  assert.deepEqual(server.violations, []);
});

test('an interrupt before the first byte of an answer ends the turn', async () => {
  await using server = await startModelServer();
  const { promise: never } = Promise.withResolvers<void>();
  server.enqueue({ text: 'too late', gate: never }, { text: 'second' });
  const { agent } = agentOn(server);
  const turn = collect(agent.run('go'));
  await server.requestArrived(1);
  agent.interrupt();
  const { result, events } = await turn;
  assert.equal(result.ended, 'interrupted');
  assert.equal(result.finalResponse, null);
  assert.ok(!events.some((event) => event.type === 'text_delta'));
  assert.deepEqual(rolesOf(agent.history), ['user']);
  assert.equal(await server.requests[0]?.closed, true);
  assert.equal((await collect(agent.run('again'))).result.finalResponse, 'second');
  assert.deepEqual(server.violations, []);
});

test('an interrupt after the first of three tools cancels the rest, and the next turn is valid', async () => {
  await using server = await startModelServer({ strict: true });
  server.enqueue({ toolCalls: [call('one'), call('two'), call('three')] }, { text: 'fine' });
  const { agent } = agentOn(server, {
    tools: ['one', 'two', 'three'].map((name) =>
      testTool(name, () => {
        if (name === 'one') agent.interrupt();
        return name;
      }),
    ),
  });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.ended, 'interrupted');
  const results = agent.history.filter((m) => m.role === 'tool').map((m) => m.content);
  assert.equal(results[0], 'one');
  assert.equal(results[1], '[Tool execution cancelled — two was skipped due to user interrupt]');
  assert.equal(results[2], '[Tool execution cancelled — three was skipped due to user interrupt]');
  assert.equal((await collect(agent.run('next'))).result.finalResponse, 'fine');
});

test('an interrupt before the first tool cancels every call of the answer', async () => {
  await using server = await startModelServer({ strict: true });
  server.enqueue({ toolCalls: [call('one'), call('two')] }, { text: 'fine' });
  const tools = ['one', 'two'].map(countedTool);
  const { agent } = agentOn(server, { tools });
  await collect(agent.run('go'), (event) => {
    if (event.type === 'message_stored' && event.role === 'assistant') agent.interrupt();
  });
  assert.deepEqual(
    agent.history.filter(({ role }) => role === 'tool').map(({ content }) => content),
    ['one', 'two'].map((name) => `[Tool execution cancelled — ${name} was skipped due to user interrupt]`),
  );
  assert.deepEqual(
    tools.map((tool) => tool.ran()),
    [0, 0],
  );
  assert.equal((await collect(agent.run('next'))).result.finalResponse, 'fine');
});

test('a new message as the reason of an interrupt is named in the skipped results', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('one'), call('two')] });
  const { agent } = agentOn(server, {
    tools: ['one', 'two'].map((name) =>
      testTool(name, () => {
        agent.interrupt('do this instead');
        return name;
      }),
    ),
  });
  await collect(agent.run('go'));
  assert.equal(
    agent.history.at(-1)?.content,
    '[Tool execution skipped — two was not started. User sent a new message]',
  );
});

test('a tool that ignores the interrupt is given up after a moment, and its result says that the outcome is unknown', async () => {
  await using server = await startModelServer();
  server.enqueue({ toolCalls: [call('stuck')] });
  const { agent } = agentOn(server, {
    tools: [
      testTool('stuck', () => {
        setImmediate(() => agent.interrupt());
        return new Promise(() => undefined);
      }),
    ],
  });
  const keepAlive = setInterval(() => undefined, 1000);
  const { result } = await collect(agent.run('go'));
  clearInterval(keepAlive);
  assert.equal(result.ended, 'interrupted');
  assert.match(contentOf(agent.history.at(-1)), /outcome is unknown/);
});
