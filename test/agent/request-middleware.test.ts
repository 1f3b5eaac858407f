/** Code of the owner that changes what a model is asked, over the real wire. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HookPayload } from '../../src/agent/hooks.ts';
import type { HistoryMessage } from '../../src/llm/message.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { hooked, type Listen, nothing } from './hooked.ts';
import { agentOn, call, collect, contentOf, routeTo, testTool } from './support.ts';

/** Answers with the request that it was given, changed. */
const changing =
  (change: (request: JsonObject) => JsonObject, more: object = {}): Listen =>
  (payload) => ({ request: { ...requestOf(payload), ...change(requestOf(payload)) }, ...more });

function requestOf({ request }: HookPayload): JsonObject {
  assert.ok(isJsonObject(request));
  return request;
}

/** Messages with every text of the user in capitals. */
function loud({ messages }: JsonObject): JsonObject {
  assert.ok(Array.isArray(messages));
  return {
    messages: messages.map((message) =>
      isJsonObject(message) && message['role'] === 'user' && typeof message['content'] === 'string'
        ? { ...message, content: message['content'].toUpperCase() }
        : message,
    ),
  };
}

test('middleware changes what a model is asked, and nothing of what is kept', async () => {
  await using server = await startModelServer({ strict: true });
  server.enqueue({ toolCalls: [call('echo')] }, { text: 'done' });
  const entered: unknown[] = [];
  const { hooks, at, warned } = hooked(
    [
      ['llm_request', changing(() => ({ temperature: 0.1 }))],
      ['llm_request', changing((request) => ({ ...loud(request), max_tokens: 99 }), { reason: 'louder' })],
      ['llm_request', () => ({ request: 'nonsense' })],
      ['pre_api_request', nothing],
    ],
    { entered: (sources) => void entered.push(...sources) },
  );
  const { agent, transcript } = agentOn(server, { tools: [testTool('echo', () => 'x')], hooks });
  await collect(agent.run('hello'));
  for (const { body } of server.requests) {
    assert.equal(contentOf(body.messages[1]), 'HELLO');
    assert.deepEqual([body['max_tokens'], body['temperature'], body['tools']?.length], [99, undefined, 1]);
  }
  assert.deepEqual(transcript.messages.map(contentOf), ['hello', 'null', 'x', 'done']);
  assert.deepEqual(
    [...new Set(entered.map((source) => JSON.stringify(source)))],
    ['{"from":"program","name":"hook 2"}'],
  );
  assert.deepEqual(transcript.messages.at(-1)?.sources, [{ from: 'agent' }, entered[0]]);

  const [first, second] = at('llm_request').filter((_, index) => index % 3 === 1);
  const names = 'telemetry_schema_version middleware_schema_version request original_request';
  const place = 'task_id turn_id api_request_id session_id platform model provider base_url api_mode api_call_count';
  assert.deepEqual(Object.keys(first ?? {}), `${names} ${place}`.split(' '));
  assert.deepEqual([first?.['api_call_count'], second?.['api_call_count']], [1, 2]);
  assert.deepEqual(first?.['original_request'], first?.['request']);
  const [told] = at('pre_api_request');
  assert.deepEqual(told?.['middleware_trace'], [{ source: 'plugin', reason: 'louder' }]);
  assert.equal(told?.['api_request_id'], first?.['api_request_id']);
  assert.match(JSON.stringify(told?.['request_messages']), /HELLO/);
  assert.deepEqual([warned, server.violations], [[], []]);
});

test('middleware sees no key, and what it may not see is sent all the same', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'ok' });
  const { hooks, at, warned } = hooked([['llm_request', changing(() => ({ top_p: 0.5 }))]]);
  const extraBody = { seed: 1, tags: [{ 'x-api-key': 'secret-1' }], search: { authorization: 'secret-2' } };
  const { agent, transcript } = agentOn(server, { route: { ...routeTo(server), extraBody }, hooks });
  await collect(agent.run('hello'));
  assert.doesNotMatch(JSON.stringify(at('llm_request')), /secret-|test-key/);
  const { seed, tags, search, top_p } = server.lastRequest.body;
  assert.deepEqual({ seed, tags, search, top_p }, { ...extraBody, top_p: 0.5 });
  // A number is no text.
  assert.equal(transcript.messages.at(-1)?.sources, undefined);
  assert.deepEqual(warned, []);
});

test('a request that no provider would take is not sent: the one before it in the row is, or the one that was planned', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'ok' }), strict: true });
  const history: HistoryMessage[] = [
    { role: 'user', content: 'one' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'echo', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'x' },
    { role: 'assistant', content: 'two' },
  ];
  const route = { ...routeTo(server), contextLength: 5000, vision: false };
  const warningOf = async (change: (request: JsonObject) => JsonObject) => {
    const { hooks, warned } = hooked([['llm_request', changing(change)]]);
    const { agent } = agentOn(server, { route, hooks, history, tools: [testTool('echo', () => 'x')] });
    await collect(agent.run('three'));
    assert.deepEqual(server.lastRequest.body.messages.map(contentOf), [
      'You are a test.',
      'one',
      '',
      'x',
      'two',
      'three',
    ]);
    assert.equal(server.lastRequest.body['tools']?.length, 1);
    assert.equal(warned.length, 1);
    return warned[0] ?? '';
  };
  const without =
    (...gone: number[]) =>
    ({ messages }: JsonObject): JsonObject => ({
      messages: Array.isArray(messages) ? messages.filter((_, at) => !gone.includes(at)) : [],
    });
  const adding =
    (message: JsonObject) =>
    ({ messages }: JsonObject): JsonObject => ({ messages: Array.isArray(messages) ? [...messages, message] : [] });
  const picture = { type: 'image_url', image_url: { url: 'file:///etc/passwd' } };
  const wrong: readonly (readonly [(request: JsonObject) => JsonObject, RegExp])[] = [
    [without(3), /needs its result/],
    [without(2), /needs its result/],
    [without(5), /the last message must be/],
    [without(1), /take turns/],
    [() => ({ messages: [] }), /messages: /],
    [() => ({ messages: [{ role: 'user', content: [picture] }] }), /messages\.0\.content/],
    [adding({ role: 'system', content: 'more' }), /system message/],
    [() => ({ messages: [{ role: 'user', content: 'x'.repeat(30_000) }] }), /has about 7\d\d\d tokens/],
    [
      () => ({
        messages: [{ role: 'user', content: [{ ...picture, image_url: { url: 'data:image/png;base64,AA' } }] }],
      }),
      /does not see pictures/,
    ],
    [() => ({ tools: [{ type: 'function', function: { name: 'other' } }] }), /the tool other is not there/],
    [() => ({ model: 'dearer' }), /another model/],
    [() => ({ stream: false }), /stream/],
    [() => ({ temperature: 9 }), /temperature/],
    [() => ({ instructions: 'obey' }), /instructions: /],
  ];
  for (const [change, why] of wrong) assert.match(await warningOf(change), why);

  const circle: JsonObject = {};
  circle['self'] = circle;
  const { hooks, warned } = hooked([
    ['llm_request', changing(loud)],
    ['llm_request', changing(() => ({ metadata: circle }))],
  ]);
  await collect(agentOn(server, { route, hooks }).agent.run('three'));
  assert.equal(contentOf(server.lastRequest.body.messages.at(-1)), 'THREE');
  assert.match(warned.join('\n'), /hook 2 changed is not sent: it is no JSON/);
  assert.deepEqual(server.violations, []);
});

test('a changed request that the provider refuses is sent as it was, and nothing is shortened or set aside for it', async () => {
  await using server = await startModelServer();
  for (const status of [400, 413]) {
    server.enqueue({ fault: 'status', status, body: { error: { message: 'no such thing' } } }, { text: 'ok' });
    const { hooks, warned } = hooked([['llm_request', changing(loud)]]);
    const { agent, transcript } = agentOn(server, { hooks });
    const { result } = await collect(agent.run('hello'));
    assert.equal(result.finalResponse, 'ok');
    assert.equal(contentOf(server.requests.at(-2)?.body.messages[1]), 'HELLO');
    assert.equal(contentOf(server.lastRequest.body.messages[1]), 'hello');
    assert.deepEqual(transcript.messages.map(contentOf), ['hello', 'ok']);
    assert.match(warned.join('\n'), /refused a request that hook 1 changed/);
  }
});

test('what stands beside the words of a message goes with it when others are changed', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'ok' });
  const thoughts = [{ type: 'reasoning.text', text: 'hm', signature: 's' }];
  const extra_content = { google: { thought_signature: 'sig' } };
  const history: HistoryMessage[] = [
    { role: 'user', content: 'one' },
    {
      role: 'assistant',
      content: 'I look',
      reasoning_details: thoughts,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'echo', arguments: '{}' }, extra_content }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'x' },
    { role: 'assistant', content: 'two', reasoning_details: thoughts },
  ];
  const shout = ({ messages }: JsonObject): JsonObject => ({
    messages: Array.isArray(messages)
      ? messages.map((message) => {
          const { role, content } = isJsonObject(message) ? message : {};
          return role === 'assistant' && content === 'I look' ? { ...Object(message), content: 'LOOK' } : message;
        })
      : [],
  });
  const { hooks, warned } = hooked([['llm_request', changing(shout)]]);
  await collect(agentOn(server, { hooks, history }).agent.run('three'));
  const [, , looked, , said] = server.lastRequest.body.messages;
  assert.equal(looked?.content, 'LOOK');
  assert.deepEqual(looked?.['reasoning_details'], thoughts);
  assert.deepEqual(
    looked?.tool_calls?.map((sent) => Object(sent).extra_content),
    [extra_content],
  );
  assert.deepEqual(said?.['reasoning_details'], thoughts);
  assert.deepEqual(warned, []);
});
