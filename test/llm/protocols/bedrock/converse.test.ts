/** Bedrock's Converse protocol over real HTTP, with its binary event stream and signatures. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../../../src/llm/message.ts';
import { BedrockConverse } from '../../../../src/llm/protocols/bedrock/converse.ts';
import { callStart, delta, messageStart, messageStop, startBedrockServer } from '../../../fakes/bedrock-server.ts';
import { ask } from '../ask.ts';
import { onePixel } from '../../histories.ts';
import { bedrockAt, claude, said, weather } from './bedrock-at.ts';

test('a streamed answer arrives as text and thoughts, with its usage, from a signed request', async () => {
  await using server = await startBedrockServer({ region: 'eu-west-1' });
  const usage = {
    inputTokens: 10,
    outputTokens: 5,
    totalTokens: 45,
    cacheReadInputTokens: 20,
    cacheWriteInputTokens: 10,
  };
  server.enqueue({
    events: [
      messageStart,
      delta(0, { reasoningContent: { text: 'Let me ' } }),
      delta(0, { reasoningContent: { text: 'see.' } }),
      delta(0, { reasoningContent: { signature: 'c2ln' } }),
      delta(1, { text: 'Hel' }),
      delta(1, { text: 'lo.' }),
      { type: 'contentBlockStop', data: { contentBlockIndex: 1 } },
      messageStop('end_turn'),
      { type: 'metadata', data: { usage, metrics: { latencyMs: 3 } } },
    ],
  });
  const { done, text, reasoning } = await ask(bedrockAt(server.url, { bedrock: { region: 'eu-west-1' } }), {
    model: claude,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ],
    maxTokens: 900,
    temperature: 0.5,
  });
  assert.equal(text, 'Hello.');
  assert.equal(reasoning, 'Let me see.');
  assert.deepEqual(done, {
    type: 'done',
    message: {
      role: 'assistant',
      content: 'Hello.',
      reasoning: 'Let me see.',
      reasoning_details: [{ type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' }],
      finish_reason: 'stop',
    },
    usage: { input: 10, output: 5, cacheRead: 20, cacheWrite: 10, reasoning: 0 },
    stopReason: 'stop',
  });
  assert.equal(server.requests[0]?.path, `/model/${encodeURIComponent(claude)}/converse-stream`);
  assert.deepEqual(server.requests[0]?.body, {
    messages: [{ role: 'user', content: [{ text: 'hi' }] }],
    system: [{ text: 'Be brief.' }],
    inferenceConfig: { maxTokens: 900, temperature: 0.5 },
  });
  assert.deepEqual(server.violations, []);
});

test('a whole answer is asked for at converse', async () => {
  await using server = await startBedrockServer();
  const content = [
    { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
    { text: 'Looking.' },
    { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Oslo' } } },
  ];
  server.enqueue({
    whole: {
      output: { message: { role: 'assistant', content } },
      stopReason: 'tool_use',
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
    },
  });
  const { done, text } = await ask(bedrockAt(server.url), { model: claude, tools: [weather], stream: false });
  assert.equal(server.requests[0]?.path, `/model/${encodeURIComponent(claude)}/converse`);
  assert.equal(text, 'Looking.');
  assert.equal(done.stopReason, 'tool_calls');
  assert.deepEqual(done.message.tool_calls, [
    { id: 'tooluse_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
  ]);
  assert.deepEqual(done.message.reasoning_details, [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }]);
  assert.equal(done.usage?.output, 4);
  assert.deepEqual(server.violations, []);
});

test('streamed calls are put together, and go back with the signed reasoning in front and pictures as bytes', async () => {
  await using server = await startBedrockServer();
  server.enqueue(
    {
      events: [
        messageStart,
        delta(0, { reasoningContent: { text: 'Hm.' } }),
        delta(0, { reasoningContent: { signature: 'c2ln' } }),
        delta(1, { reasoningContent: { redactedContent: 'cmVkYWN0ZWQ=' } }),
        callStart(2, 'tooluse_1', 'weather'),
        delta(2, { toolUse: { input: '{"city":' } }),
        delta(2, { toolUse: { input: '"Oslo"}' } }),
        callStart(3, 'tooluse_2', 'weather'),
        messageStop('tool_use'),
      ],
    },
    said('Sunny.'),
  );
  const protocol = bedrockAt(server.url);
  const { done, events } = await ask(protocol, { model: claude, tools: [weather] });
  assert.equal(events.filter((event) => event.type === 'tool_call_started').length, 2);
  assert.deepEqual(
    done.message.tool_calls?.map((call) => [call.id, call.function.arguments]),
    [
      ['tooluse_1', '{"city":"Oslo"}'],
      ['tooluse_2', '{}'],
    ],
  );
  const messages: Message[] = [
    { role: 'user', content: 'weather?' },
    done.message,
    { role: 'tool', tool_call_id: 'tooluse_1', content: 'sunny' },
    { role: 'tool', tool_call_id: 'tooluse_2', content: [{ type: 'image_url', image_url: { url: onePixel } }] },
    { role: 'user', content: 'well?' },
  ];
  await ask(protocol, { model: claude, tools: [weather], messages });
  assert.deepEqual(server.requests[1]?.body['messages'], [
    { role: 'user', content: [{ text: 'weather?' }] },
    {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
        { reasoningContent: { redactedContent: 'cmVkYWN0ZWQ=' } },
        { toolUse: { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Oslo' } } },
        { toolUse: { toolUseId: 'tooluse_2', name: 'weather', input: {} } },
      ],
    },
    {
      role: 'user',
      content: [
        { toolResult: { toolUseId: 'tooluse_1', content: [{ text: 'sunny' }] } },
        {
          toolResult: {
            toolUseId: 'tooluse_2',
            content: [{ image: { format: 'png', source: { bytes: onePixel.split(',')[1] } } }],
          },
        },
        { text: 'well?' },
      ],
    },
  ]);
  assert.deepEqual(server.violations, []);
});

test('reasoning is not sent to models of other makers, nor pictures inside of results', async () => {
  await using server = await startBedrockServer();
  server.enqueue(said('ok'));
  const messages: Message[] = [
    { role: 'user', content: 'x' },
    {
      role: 'assistant',
      content: null,
      reasoning_details: [{ type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }],
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'image_url', image_url: { url: onePixel } }] },
  ];
  await ask(bedrockAt(server.url), {
    model: 'mistral.pixtral-large-2502-v1:0',
    tools: [weather],
    messages,
    cacheTtl: '5m',
  });
  const text = JSON.stringify(server.requests[0]?.body);
  assert.ok(!text.includes('reasoningContent') && !text.includes('cachePoint'));
  const [, , last] = server.requests[0]!.body['messages'] as { content: object[] }[];
  assert.deepEqual(last?.content[0], {
    toolResult: { toolUseId: 'a', content: [{ text: '(an image, shown below)' }] },
  });
  assert.ok(last?.content[1] !== undefined && 'image' in last.content[1]);
  assert.deepEqual(server.violations, []);
});

test('the cached prefix is marked as the model family allows', async () => {
  await using server = await startBedrockServer();
  server.enqueue(said('ok'), said('ok'));
  const messages: Message[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
    { role: 'user', content: 'three' },
  ];
  await ask(bedrockAt(server.url), { model: claude, tools: [weather], messages, cacheTtl: '1h' });
  await ask(bedrockAt(server.url), { model: 'amazon.nova-pro-v1:0', tools: [weather], messages, cacheTtl: '1h' });
  const [forClaude = {}, forNova = {}] = server.requests.map((request) => request.body);
  const hour = { cachePoint: { type: 'default', ttl: '1h' } };
  const plain = { cachePoint: { type: 'default' } };
  assert.deepEqual(forClaude['system'], [{ text: 'Be brief.' }, hour]);
  assert.deepEqual((forClaude['toolConfig'] as { tools: object[] }).tools[1], hour);
  assert.deepEqual(
    (forClaude['messages'] as { content: object[] }[]).map(({ content }) => content.at(-1)),
    [hour, { text: 'two' }, hour],
  );
  assert.deepEqual(forNova['system'], [{ text: 'Be brief.' }, plain]);
  assert.equal((forNova['toolConfig'] as { tools: object[] }).tools.length, 1);
  assert.deepEqual(server.violations, []);
});

for (const [model, effort, fields, inference] of [
  [claude, 'high', { thinking: { type: 'enabled', budget_tokens: 16_000 } }, { maxTokens: 20_096 }],
  [
    'us.anthropic.claude-opus-4-6-v1',
    'xhigh',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    { maxTokens: 500 },
  ],
  ['anthropic.claude-3-5-haiku-20241022-v1:0', 'high', undefined, { maxTokens: 500, temperature: 0.5 }],
  ['openai.gpt-oss-120b-1:0', 'minimal', { reasoning_effort: 'low' }, { maxTokens: 500, temperature: 0.5 }],
  [
    'us.amazon.nova-2-lite-v1:0',
    'medium',
    { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' } },
    { maxTokens: 500, temperature: 0.5 },
  ],
  [claude, 'none', undefined, { maxTokens: 500, temperature: 0.5 }],
] as const) {
  test(`${model} is asked to think with effort ${effort}`, async () => {
    await using server = await startBedrockServer();
    server.enqueue(said('ok'));
    await ask(bedrockAt(server.url), { model, reasoningEffort: effort, maxTokens: 500, temperature: 0.5 });
    assert.deepEqual(server.requests[0]?.body['additionalModelRequestFields'], fields);
    assert.deepEqual(server.requests[0]?.body['inferenceConfig'], inference);
  });
}

test('guardrail, priority, extra_body and headers reach the request', async () => {
  await using server = await startBedrockServer();
  server.enqueue(said('No.', 'guardrail_intervened'));
  const guardrail = { identifier: 'gr-1', version: '2', trace: 'enabled', streamProcessingMode: 'async' } as const;
  const protocol = bedrockAt(server.url, {
    bedrock: { guardrail },
    headers: { 'x-team': 'blue' },
    extraBody: { top_k: 5, performanceConfig: { latency: 'optimized' } },
  });
  const { done } = await ask(protocol, { model: claude, priority: true });
  const body = server.requests[0]?.body;
  assert.deepEqual(body?.['guardrailConfig'], {
    guardrailIdentifier: 'gr-1',
    guardrailVersion: '2',
    trace: 'enabled',
    streamProcessingMode: 'async',
  });
  assert.deepEqual(body?.['additionalModelRequestFields'], { top_k: 5 });
  assert.deepEqual(body?.['performanceConfig'], { latency: 'optimized' });
  assert.deepEqual(body?.['serviceTier'], { type: 'priority' });
  assert.deepEqual([done.stopReason, done.stopDetail], ['content_filter', 'guardrail_intervened']);
  assert.equal(server.requests[0]?.headers['x-team'], 'blue');
  assert.deepEqual(server.violations, []);
});

test('a guardrail without a streaming mode holds for streams, and for whole answers', async () => {
  await using server = await startBedrockServer();
  server.enqueue(said('ok'), {
    whole: { output: { message: { role: 'assistant', content: [{ text: 'ok' }] } }, stopReason: 'end_turn' },
  });
  const protocol = bedrockAt(server.url, { bedrock: { guardrail: { identifier: 'gr-1', version: 'DRAFT' } } });
  await ask(protocol, { model: claude });
  await ask(protocol, { model: claude, stream: false });
  for (const { body } of server.requests)
    assert.deepEqual(body['guardrailConfig'], { guardrailIdentifier: 'gr-1', guardrailVersion: 'DRAFT' });
  assert.equal(server.requests.length, 2);
});

test('a Bedrock API key is sent as a bearer token', async () => {
  await using server = await startBedrockServer({ apiKey: 'ABSK-test-key-0123456789' });
  server.enqueue(said('ok'));
  const bedrock = { apiKey: 'ABSK-test-key-0123456789' };
  await ask(new BedrockConverse({ provider: 'bedrock', baseUrl: server.url, bedrock }), { model: claude });
  assert.deepEqual(server.violations, []);
});

test('a history with calls goes as text into a request that offers no tools', async () => {
  await using server = await startBedrockServer();
  server.enqueue(said('ok'));
  const messages: Message[] = [
    { role: 'user', content: 'x' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    },
    { role: 'tool', tool_call_id: 'a', tool_name: 'weather', content: 'sunny' },
  ];
  await ask(bedrockAt(server.url), { model: claude, messages });
  assert.deepEqual(server.requests[0]?.body['messages'], [
    { role: 'user', content: [{ text: 'x' }] },
    { role: 'assistant', content: [{ text: '[called weather with {"city":"Oslo"}]' }] },
    { role: 'user', content: [{ text: '[result of weather: sunny]' }] },
  ]);
  assert.deepEqual(server.violations, []);
});
