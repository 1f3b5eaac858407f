/** Gemini's own protocol over real HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '../../../../src/llm/endpoint.ts';
import type { Message } from '../../../../src/llm/message.ts';
import type { Protocol } from '../../../../src/llm/protocol.ts';
import { GeminiGenerate } from '../../../../src/llm/protocols/gemini/generate.ts';
import { partsChunk, sse, startGeminiServer, textChunk } from '../../../fakes/gemini-server.ts';
import { ask, askInVain, requestOf, keyOf } from '../ask.ts';
import { onePixel } from '../../histories.ts';

function geminiAt(url: string, endpoint: Partial<Endpoint> = {}): Protocol {
  const authorizer = keyOf('AIzaTestKey0123456789', 'gemini_generate');
  return new GeminiGenerate({ provider: 'gemini', baseUrl: url, authorizer, ...endpoint });
}

const stop = textChunk('', { finishReason: 'STOP' });
const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

test('a streamed answer arrives as text and thoughts, with its usage', async () => {
  await using server = await startGeminiServer();
  server.enqueue({
    chunks: [
      partsChunk([{ text: 'Let me see.', thought: true }]),
      textChunk('Hel'),
      textChunk('lo.'),
      {
        ...textChunk('', { finishReason: 'STOP' }),
        usageMetadata: {
          promptTokenCount: 100,
          cachedContentTokenCount: 40,
          candidatesTokenCount: 5,
          thoughtsTokenCount: 7,
        },
      },
    ],
  });
  const { done, text, reasoning } = await ask(geminiAt(server.url), {
    model: 'gemini-2.5-pro',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ],
    maxTokens: 900,
    temperature: 0.5,
    reasoningEffort: 'low',
  });
  assert.equal(text, 'Hello.');
  assert.equal(reasoning, 'Let me see.');
  assert.deepEqual(done, {
    type: 'done',
    message: { role: 'assistant', content: 'Hello.', reasoning: 'Let me see.', finish_reason: 'stop' },
    usage: { input: 60, output: 12, cacheRead: 40, cacheWrite: 0, reasoning: 7 },
    stopReason: 'stop',
  });
  const [request] = server.requests;
  assert.equal(request?.path, '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse');
  assert.equal(request?.headers['x-goog-api-key'], 'AIzaTestKey0123456789');
  assert.equal(request?.headers.authorization, undefined);
  assert.deepEqual(request?.body, {
    contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: {
      maxOutputTokens: 900,
      temperature: 0.5,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
    },
  });
  assert.deepEqual(server.violations, []);
});

test('a whole answer is asked for at generateContent', async () => {
  await using server = await startGeminiServer();
  server.enqueue({ chunks: [textChunk('All of it.', { finishReason: 'MAX_TOKENS' })] });
  const { done } = await ask(geminiAt(server.url), { model: 'models/gemini-2.0-flash', stream: false });
  assert.equal(done.message.content, 'All of it.');
  assert.equal(done.stopReason, 'length');
  assert.equal(server.requests[0]?.path, '/v1beta/models/gemini-2.0-flash:generateContent');
});

test('tool calls get ids, and their signatures are replayed where they were', async () => {
  await using server = await startGeminiServer();
  server.enqueue({
    chunks: [
      partsChunk([{ text: 'Looking.' }, { text: '', thoughtSignature: 'dGV4dA==' }]),
      partsChunk([{ functionCall: { name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 'c2lnMQ==' }]),
      partsChunk([{ functionCall: { name: 'weather', args: { city: 'Rome' } } }], { finishReason: 'STOP' }),
    ],
  });
  const protocol = geminiAt(server.url);
  const first = await ask(protocol, { model: 'gemini-3-pro-preview', tools: [weather] });
  const calls = first.done.message.tool_calls ?? [];
  assert.equal(first.done.stopReason, 'tool_calls');
  assert.deepEqual(
    first.events.filter((event) => event.type === 'tool_call_started'),
    [
      { type: 'tool_call_started', index: 0, name: 'weather' },
      { type: 'tool_call_started', index: 1, name: 'weather' },
    ],
  );
  assert.deepEqual(calls[0]?.extra_content, { google: { thought_signature: 'c2lnMQ==' } });
  assert.equal(calls[1]?.extra_content, undefined);
  assert.equal(new Set(calls.map((call) => call.id)).size, 2);

  server.enqueue({ chunks: [textChunk('Sunny.'), stop] });
  await ask(protocol, {
    model: 'gemini-3-pro-preview',
    tools: [weather],
    messages: [
      { role: 'user', content: 'weather?' },
      first.done.message,
      ...calls.map(
        (call): Message => ({ role: 'tool', tool_call_id: call.id, content: `of ${call.function.arguments}` }),
      ),
    ],
  });
  assert.deepEqual(server.requests[1]?.body['contents'], [
    { role: 'user', parts: [{ text: 'weather?' }] },
    {
      role: 'model',
      parts: [
        { text: 'Looking.', thoughtSignature: 'dGV4dA==' },
        { functionCall: { name: 'weather', args: { city: 'Oslo' }, id: calls[0]?.id }, thoughtSignature: 'c2lnMQ==' },
        { functionCall: { name: 'weather', args: { city: 'Rome' }, id: calls[1]?.id } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'weather', id: calls[0]?.id, response: { output: 'of {"city":"Oslo"}' } } },
        { functionResponse: { name: 'weather', id: calls[1]?.id, response: { output: 'of {"city":"Rome"}' } } },
      ],
    },
  ]);
  assert.deepEqual(server.violations, []);
});

test('calls of another model carry the signature that Google documents for them', async () => {
  await using server = await startGeminiServer();
  server.enqueue({ chunks: [stop] }, { chunks: [stop] });
  const messages: Message[] = [
    { role: 'user', content: 'x' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '' },
  ];
  await ask(geminiAt(server.url), { model: 'gemini-3-flash-preview', messages });
  await ask(geminiAt(server.url), { model: 'gemini-2.5-flash', messages });
  const signed = JSON.stringify(server.requests[0]?.body);
  assert.ok(signed.includes('"thoughtSignature":"skip_thought_signature_validator"'));
  assert.ok(!JSON.stringify(server.requests[1]?.body).includes('thoughtSignature'));
  assert.deepEqual(server.violations, []);
});

test('pictures are sent inline: with the question, and inside of results from the third generation on', async () => {
  await using server = await startGeminiServer();
  server.enqueue({ chunks: [stop] }, { chunks: [stop] });
  const image = { type: 'image_url' as const, image_url: { url: onePixel } };
  const messages: Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'shot', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: [image] },
  ];
  await ask(geminiAt(server.url), { model: 'gemini-2.5-flash', messages });
  await ask(geminiAt(server.url), { model: 'gemini-3-flash-preview', messages });
  const inline = { inlineData: { mimeType: 'image/png', data: onePixel.split(',')[1] } };
  const [old, recent] = server.requests.map((request) => request.body['contents'] as { parts: object[] }[]);
  assert.deepEqual(old?.[0]?.parts, [{ text: 'look' }, inline]);
  assert.deepEqual(old?.[2]?.parts, [
    { functionResponse: { name: 'shot', id: 'call_1', response: { output: '(an image)' } } },
    { text: 'Images from the result of shot:' },
    inline,
  ]);
  assert.deepEqual(recent?.[2]?.parts, [
    { functionResponse: { name: 'shot', id: 'call_1', response: { output: '(an image)' }, parts: [inline] } },
  ]);
  assert.deepEqual(server.violations, []);
});

for (const [model, effort, expected] of [
  ['gemini-3-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'high' }],
  ['gemini-3.1-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'medium' }],
  ['gemini-3-flash-preview', 'none', { includeThoughts: false, thinkingLevel: 'minimal' }],
  ['gemini-2.5-flash', 'none', { includeThoughts: false, thinkingBudget: 0 }],
  ['gemini-2.5-pro', 'none', { includeThoughts: false, thinkingBudget: 128 }],
  ['gemini-2.5-pro', undefined, { includeThoughts: true }],
  ['gemini-2.0-flash', 'high', undefined],
  ['gemini-2.5-flash-image', 'high', undefined],
] as const) {
  test(`${model} is asked to think with effort ${effort ?? 'unset'}`, async () => {
    await using server = await startGeminiServer();
    server.enqueue({ chunks: [stop] });
    await ask(geminiAt(server.url), { model, ...(effort === undefined ? {} : { reasoningEffort: effort }) });
    const config = server.requests[0]?.body['generationConfig'] as { thinkingConfig?: object } | undefined;
    assert.deepEqual(config?.thinkingConfig, expected);
  });
}

test('a blocked question and a blocked answer end as content_filter', async () => {
  await using server = await startGeminiServer();
  server.enqueue(
    { chunks: [{ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 3 } }] },
    { chunks: [textChunk('Half'), textChunk('', { finishReason: 'SAFETY', finishMessage: 'Not this.' })] },
  );
  const blocked = await ask(geminiAt(server.url));
  assert.equal(blocked.done.stopReason, 'content_filter');
  assert.equal(blocked.done.stopDetail, 'PROHIBITED_CONTENT');
  assert.equal(blocked.done.message.content, null);
  assert.equal(blocked.done.usage?.input, 3);
  const filtered = await ask(geminiAt(server.url));
  assert.equal(filtered.done.stopReason, 'content_filter');
  assert.equal(filtered.done.stopDetail, 'SAFETY: Not this.');
  assert.equal(filtered.done.message.content, 'Half');
});

test('a broken call of the model is an error that can be tried again', async () => {
  await using server = await startGeminiServer();
  server.enqueue({ chunks: [textChunk('', { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'print(x)' })] });
  const { error } = await askInVain(geminiAt(server.url));
  assert.equal(error.kind, 'malformed');
  assert.match(error.message, /broken tool call.*print\(x\)/);
});

for (const [what, status, message, details, kind] of [
  ['a wrong key', 400, 'API key not valid. Please pass a valid API key.', [{ reason: 'API_KEY_INVALID' }], 'auth'],
  [
    'a long conversation',
    400,
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    [],
    'context_overflow',
  ],
  [
    'a limit per minute',
    429,
    'You exceeded your current quota, please check your plan and billing details.',
    [{ retryDelay: '13s' }],
    'rate_limit',
  ],
  [
    'a limit per day',
    429,
    'You exceeded your current quota, please check your plan and billing details.',
    [{ violations: [{ quotaId: 'RequestsPerDay' }] }, { retryDelay: '13s' }],
    'billing',
  ],
  ['an unknown model', 404, 'models/x is not found for API version v1beta', [], 'not_found'],
  [
    'a broken field',
    400,
    'Invalid JSON payload received. Unknown name "x": Cannot find field. Please look at the documentation.',
    [],
    'bad_request',
  ],
  ['trouble at Google', 503, 'The model is overloaded.', [], 'overloaded'],
] as const) {
  test(`${what} is told as ${kind}`, async () => {
    await using server = await startGeminiServer();
    server.enqueue({ status, body: [{ error: { code: status, message, status: 'X', details } }] });
    const { error } = await askInVain(geminiAt(server.url));
    assert.equal(error.kind, kind);
    assert.equal(error.status, status);
    assert.ok(error.message.includes(message.slice(0, 20)), error.message);
    assert.equal(error.retryAfterMs, JSON.stringify(details).includes('13s') ? 13_000 : undefined);
  });
}

test('an error in the middle of a stream, and a stream that breaks off, are one error', async () => {
  await using server = await startGeminiServer();
  server.enqueue(
    { chunks: [textChunk('Hel'), { error: { code: 503, message: 'overloaded' } }] },
    { chunks: [textChunk('Hel')] },
    { chunks: [textChunk('Hel')], cutOff: true },
  );
  const reported = await askInVain(geminiAt(server.url));
  assert.equal(reported.error.kind, 'overloaded');
  assert.deepEqual(reported.events, [{ type: 'text', text: 'Hel' }]);
  assert.equal((await askInVain(geminiAt(server.url))).error.kind, 'network');
  assert.equal((await askInVain(geminiAt(server.url))).error.kind, 'network');
});

test('a finished answer counts although its connection breaks', async () => {
  await using server = await startGeminiServer();
  server.enqueue({ chunks: [textChunk('Whole.', { finishReason: 'STOP' })], cutOff: true });
  assert.equal((await ask(geminiAt(server.url))).done.message.content, 'Whole.');
});

test('an interrupted request is aborted, and its connection closed', async () => {
  await using server = await startGeminiServer();
  const hold = Promise.withResolvers<void>();
  server.enqueue({ chunks: [textChunk('Hel')], hold: hold.promise });
  const controller = new AbortController();
  const events: string[] = [];
  await assert.rejects(
    async () => {
      const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], tools: [], stream: true };
      for await (const event of geminiAt(server.url).stream(request, controller.signal)) {
        events.push(event.type);
        controller.abort();
      }
    },
    { name: 'ModelError', kind: 'aborted' },
  );
  assert.deepEqual(events, ['text']);
  await server.abandoned;
  hold.resolve();
});

test('a silent answer ends at its time limit', async () => {
  await using server = await startGeminiServer();
  const hold = Promise.withResolvers<void>();
  server.enqueue({ chunks: [textChunk('Hel')], hold: hold.promise });
  const { error } = await askInVain(geminiAt(server.url, { timeouts: { readMs: 40 } }));
  assert.equal(error.kind, 'timeout');
  hold.resolve();
});

test('Vertex AI is asked with a token of the cloud and without call ids', async () => {
  await using server = await startGeminiServer();
  server.enqueue({ raw: [sse([textChunk('Hi.', { finishReason: 'STOP' })])] });
  const protocol = new GeminiGenerate({
    provider: 'vertex',
    baseUrl: `${server.url}/projects/p/locations/l/publishers/google`,
    authorizer: { headers: async () => ({ authorization: 'Bearer cloud-token' }), secrets: [] },
  });
  await ask(protocol, { model: 'google/gemini-2.5-pro' });
  const [request] = server.requests;
  assert.equal(
    request?.path,
    '/v1beta/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse',
  );
  assert.equal(request?.headers.authorization, 'Bearer cloud-token');
  assert.equal(request?.headers['x-goog-api-key'], undefined);
});

test('generation settings of extra_body are added to the others', async () => {
  await using server = await startGeminiServer();
  server.enqueue({ chunks: [stop] });
  await ask(geminiAt(server.url, { extraBody: { safetySettings: [], generationConfig: { topP: 0.9 } } }), {
    maxTokens: 5,
    extraBody: { generationConfig: { topK: 3 } },
  });
  assert.deepEqual(server.requests[0]?.body['generationConfig'], { maxOutputTokens: 5, topP: 0.9, topK: 3 });
  assert.deepEqual(server.requests[0]?.body['safetySettings'], []);
});

test('a reader that stops early closes the connection', async () => {
  await using server = await startGeminiServer();
  const hold = Promise.withResolvers<void>();
  server.enqueue({ chunks: [textChunk('Hel')], hold: hold.promise });
  for await (const event of geminiAt(server.url).stream(requestOf({ model: 'm' }), new AbortController().signal)) {
    assert.equal(event.type, 'text');
    break;
  }
  await server.abandoned;
  hold.resolve();
});

test('only the first candidate counts', async () => {
  await using server = await startGeminiServer();
  const other = { index: 1, content: { parts: [{ text: 'X' }] }, finishReason: 'STOP' };
  const first = { index: 0, content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' };
  server.enqueue({ chunks: [{ candidates: [other] }, { candidates: [other, first] }] });
  const { text, done } = await ask(geminiAt(server.url));
  assert.deepEqual([text, done.message.content], ['a', 'a']);
});
