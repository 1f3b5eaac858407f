/** The agent's turn over the Responses API. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelRoute } from '../../../../src/llm/protocol.ts';
import { agentOn, collect, type TestAgentOptions, testTool } from '../../../agent/support.ts';
import { startModelServer } from '../../../fakes/model-server.ts';
import { type ResponsesServer, startResponsesServer } from '../../../fakes/responses-server.ts';
import { responsesAt } from './support.ts';

function routeTo(server: ResponsesServer): ModelRoute {
  return {
    provider: 'openai-api',
    model: 'gpt-5.4',
    baseUrl: server.url,
    apiMode: 'codex_responses',
    protocol: responsesAt(server.url),
    streaming: true,
  };
}

/** The turn of an agent on the Responses server; the other server must not be asked. */
async function runTurn(server: ResponsesServer, options: TestAgentOptions = {}) {
  await using unused = await startModelServer();
  const { agent } = agentOn(unused, { route: routeTo(server), ...options });
  const turn = await collect(agent.run('go'));
  assert.equal(unused.requests.length, 0);
  return turn;
}

test('tools run, and reasoning travels along until the turn is over', async () => {
  await using server = await startResponsesServer({ strict: true });
  server.enqueue(
    { reasoning: 'Two things to do.', toolCalls: [{ name: 'look' }, { name: 'look', arguments: { at: 'b' } }] },
    { reasoning: 'One more.', text: 'And another.', toolCalls: [{ name: 'look', arguments: { at: 'c' } }] },
    { text: 'All seen.' },
  );
  const { result } = await runTurn(server, { tools: [testTool('look', () => 'seen')] });
  assert.equal(result.finalResponse, 'All seen.');
  assert.deepEqual(server.violations, []);
  assert.deepEqual(
    server.lastRequest.body.input.map((item) => item['type'] ?? item['role']),
    [
      'user',
      'reasoning',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
      'reasoning',
      'message',
      'function_call',
      'function_call_output',
    ],
  );
});

test('an answer of reasoning only is not the end of the turn', async () => {
  await using server = await startResponsesServer({ strict: true });
  server.enqueue({ reasoning: 'Let me think first.' }, { text: 'Here it is.' });
  const { result } = await runTurn(server);
  assert.equal(result.finalResponse, 'Here it is.');
  assert.equal(server.requests.length, 2);
  assert.deepEqual(server.violations, []);
});

test('a stream that breaks off after words were shown is taken back and asked for again', async () => {
  await using server = await startResponsesServer({ strict: true });
  server.enqueue({ text: 'Half of an', done: false }, { text: 'A whole answer.' });
  const { result, events } = await runTurn(server);
  assert.equal(result.finalResponse, 'A whole answer.');
  assert.ok(events.some(({ type }) => type === 'text_reset'));
});

test('an endpoint whose streams have no end is asked for whole answers', async () => {
  await using server = await startResponsesServer({
    strict: true,
    respond: ({ body }) => ({ text: 'Hello.', done: body.stream !== true }),
  });
  const { result } = await runTurn(server);
  assert.equal(result.finalResponse, 'Hello.');
  assert.deepEqual(
    server.requests.map(({ body }) => body.stream),
    [true, true, false],
  );
});
