/** Answers that are cut, empty, or have their thinking in the text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { sseChunk, sseEvent } from '../fakes/model-steps.ts';
import { agentOn, call, collect, contentOf, countedTool, errorOf, rolesOf, routeTo, testTool } from './support.ts';

test('an answer cut at the output limit is continued and joined', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'Hello ', finishReason: 'length' }, { text: 'world.' });
  const { agent } = agentOn(server);
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'Hello world.');
  assert.match(contentOf(server.lastRequest.body.messages.at(-1)), /^\[System: /);
  assert.deepEqual(server.violations, []);
});

test('a limit that went into reasoning alone stops at once and says what to change', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: '<think>hmm hmm', finishReason: 'length' });
  const { agent } = agentOn(server);
  const { result } = await collect(agent.run('go'));
  assert.equal(server.requests.length, 1);
  assert.match(errorOf(result), /Thinking Budget Exhausted.*reasoning effort/);
});

test('a call cut at the output limit never runs, and the model is told so when it is asked again', async () => {
  await using server = await startModelServer({
    respond: () => ({ toolCalls: [call('echo', { a: 1 })], finishReason: 'length' }),
  });
  const echo = countedTool('echo');
  const { agent } = agentOn(server, { tools: [echo] });
  const { result } = await collect(agent.run('go'));
  assert.equal(echo.ran(), 0);
  assert.equal(server.requests.length, 5);
  assert.match(contentOf(server.requests[1]?.body.messages.at(-1)), /output limit while you were writing a tool call/);
  assert.equal(result.ended, 'partial');
  assert.match(errorOf(result), /was not run/);
  assert.deepEqual(rolesOf(agent.history), ['user']);
});

test('after a cut the output limit is doubled, within what the model can take, until the provider refuses that', async () => {
  await using server = await startModelServer();
  const cut = { toolCalls: [call('echo', { a: 1 })], finishReason: 'length' } as const;
  const { text, finishReason } = { text: 'Hello ', finishReason: 'length' } as const;
  server.enqueue(cut, cut, { toolCalls: [call('echo', { a: 2 })] }, { text, finishReason }, { text, finishReason });
  server.enqueue({ fault: 'status', status: 400 }, { text: 'world.' });
  const { agent } = agentOn(server, {
    route: { ...routeTo(server), maxTokens: 1000, contextLength: 6000 },
    tools: [testTool('echo', () => 'x')],
  });
  const { result } = await collect(agent.run('go'));
  const limits = server.requests.map(({ body }) => body['max_tokens']);
  assert.deepEqual(limits, [1000, 2000, 3000, 1000, 2000, 3000, 1000]);
  assert.equal(result.finalResponse, 'Hello Hello world.');
});

test('what a content filter leaves is shown with its reason, and not asked for again', async () => {
  const filtered = (content: string) => ({
    raw: [
      sseChunk('m', { content }),
      sseEvent({
        choices: [
          {
            index: 0,
            delta: {},
            finish_reason: 'content_filter',
            content_filter_results: { violence: { filtered: true, severity: 'high' } },
          },
        ],
      }),
      'data: [DONE]\n\n',
    ],
  });
  await using server = await startModelServer();
  server.enqueue(filtered(''), filtered('It began'));
  const { agent } = agentOn(server);
  const nothing = (await collect(agent.run('go'))).result;
  assert.equal(nothing.finalResponse, null);
  assert.match(errorOf(nothing), /content filter.*violence: high/);
  const part = (await collect(agent.run('again'))).result;
  assert.equal(part.ended, 'partial');
  assert.equal(part.finalResponse, 'It began');
  assert.match(errorOf(part), /violence: high/);
  assert.equal(server.requests.length, 2);
});

test('empty answers are asked again; four in a row are an error', async () => {
  await using server = await startModelServer({ respond: () => ({}) });
  const { agent } = agentOn(server);
  const { result } = await collect(agent.run('go'));
  assert.equal(server.requests.length, 4);
  assert.equal(result.ended, 'partial');
  assert.equal(result.finalResponse, null);
});

test('an empty answer after housekeeping that came with text uses that text', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'Noted, all set.', toolCalls: [call('notes')] }, {});
  const { agent } = agentOn(server, { tools: [testTool('notes', () => 'ok', { traits: { housekeeping: true } })] });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'Noted, all set.');
});

test('inline thinking is kept in the store and out of the answer', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: '<think>x</think>hi' });
  const { agent } = agentOn(server);
  const { result, events } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'hi');
  assert.equal(result.lastReasoning, 'x');
  assert.equal(agent.history.at(-1)?.content, '<think>x</think>hi');
  const shown = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('');
  assert.equal(shown, 'hi');
});

test('arguments nested past all use are refused with a plain error', async () => {
  await using server = await startModelServer();
  const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  server.enqueue({ toolCalls: [call('echo', deep)] }, { text: 'sorry' });
  const { agent } = agentOn(server, { tools: [testTool('echo', () => 'x')] });
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'sorry');
  assert.match(contentOf(server.lastRequest.body.messages.at(-1)), /nested more than 100 levels deep/);
  assert.deepEqual(server.violations, []);
});

test('arguments that stay unreadable end the turn', async () => {
  await using server = await startModelServer({ respond: () => ({ toolCalls: [call('echo', '[1')] }) });
  const { agent } = agentOn(server, { tools: [testTool('echo', () => 'x')] });
  const { result } = await collect(agent.run('go'));
  assert.equal(server.requests.length, 5);
  assert.match(errorOf(result), /unreadable arguments 5 times/);
});
