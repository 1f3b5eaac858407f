/** Answers that go wrong end in exactly one typed error that a person can read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setInterval } from 'node:timers/promises';
import type { ModelErrorKind } from '../../../src/llm/model-error.ts';
import { type Step, startModelServer } from '../../fakes/model-server.ts';
import { sseChunk } from '../../fakes/model-steps.ts';
import { ask, askInVain, keyOf, protocolAt } from './ask.ts';
import { freePort } from '../../fakes/free-port.ts';

const refusals: readonly (readonly [ModelErrorKind, number, string])[] = [
  ['auth', 401, 'Incorrect API key provided'],
  ['auth', 403, 'Forbidden'],
  ['auth', 400, 'No connected db.'],
  ['auth', 400, 'Authentication Error, Invalid proxy server token passed. key=5f, not found in db.'],
  ['bad_request', 400, 'The tool said: No connected db.'],
  ['billing', 402, 'Payment required'],
  ['billing', 429, 'You exceeded your current quota, please check your plan'],
  ['rate_limit', 429, 'Slow down'],
  ['rate_limit', 400, 'Usage limit reached for today'],
  ['not_found', 404, 'The model does not exist'],
  ['payload_too_large', 413, 'Request Entity Too Large'],
  ['context_overflow', 400, "This model's maximum context length is 32768 tokens"],
  ['context_overflow', 500, 'the prompt is too long'],
  ['bad_request', 400, 'messages[3].content must not be blank in this case'],
  ['bad_request', 422, 'Unprocessable'],
  ['filtered', 400, "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."],
  ['filtered', 400, 'Output blocked by content filtering policy'],
  ['filtered', 403, 'Your chosen model requires moderation and your input was flagged'],
  ['filtered', 400, 'Content Exists Risk'],
  ['stream_unsupported', 400, 'Streaming is not supported for this model'],
  ['timeout', 408, 'Request timeout'],
  ['overloaded', 500, 'Internal error'],
  ['overloaded', 529, 'Overloaded'],
];

for (const [kind, status, message] of refusals) {
  test(`status ${status} "${message}" is ${kind}`, async () => {
    await using server = await startModelServer();
    server.enqueue({ fault: 'status', status, body: { error: { message } } });
    const { error, events } = await askInVain(protocolAt(server.url));
    assert.deepEqual(
      [error.kind, error.status, error.host, events.length],
      [kind, status, `127.0.0.1:${server.port}`, 0],
    );
    assert.ok(
      error.message.startsWith(`test-model via custom (127.0.0.1:${server.port}): HTTP ${status}`),
      error.message,
    );
    assert.ok(error.message.includes(message));
    assert.equal(server.requests.length, 1);
  });
}

test('what a content filter found is told, in the words of Azure and of OpenRouter', async () => {
  await using server = await startModelServer();
  const innererror = {
    code: 'ResponsibleAIPolicyViolation',
    content_filter_result: { hate: { filtered: true, severity: 'medium' }, violence: { filtered: false } },
  };
  server.enqueue(
    { fault: 'status', status: 400, body: { error: { code: 'content_filter', message: 'The prompt', innererror } } },
    {
      fault: 'status',
      status: 403,
      body: { error: { message: 'Your input was flagged', metadata: { reasons: ['self-harm'] } } },
    },
    { fault: 'error_event', error: { code: 'content_filter', message: 'Too rude' } },
  );
  const told: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { error } = await askInVain(protocolAt(server.url));
    assert.equal(error.kind, 'filtered');
    told.push(error.message.slice(error.message.indexOf('): ') + 3));
  }
  assert.deepEqual(told, [
    'HTTP 400, a content filter refused it (hate: medium): The prompt',
    'HTTP 403, a content filter refused it (self-harm): Your input was flagged',
    'the provider reported an error, a content filter refused it: Too rude',
  ]);
});

const broken: readonly (readonly [string, Step, ModelErrorKind])[] = [
  ['an HTML error page', { fault: 'html' }, 'overloaded'],
  ['an HTML page as success', { fault: 'html', status: 200 }, 'not_found'],
  ['an error body with status 200', { fault: 'error_body' }, 'overloaded'],
  [
    'an error body with status 200 that says rate limit',
    { fault: 'error_body', error: 'Rate limit exceeded' },
    'rate_limit',
  ],
  ['an error event in the stream', { fault: 'error_event', error: { code: 429, message: 'Too fast' } }, 'rate_limit'],
  ['a connection that closes before the response', { fault: 'close_before' }, 'network'],
  ['a connection that closes before the finish', { fault: 'close_after' }, 'network'],
  ['a reset in the stream', { fault: 'reset' }, 'network'],
  ['an event that is no JSON', { fault: 'malformed_json' }, 'malformed'],
  ['garbage', { fault: 'garbage' }, 'malformed'],
  ['garbage that claims to be JSON', { fault: 'garbage', contentType: 'application/json' }, 'malformed'],
  ['an answer without choices', { fault: 'empty_choices' }, 'malformed'],
  ['an empty body', { raw: [] }, 'network'],
  ['an event torn by the end', { raw: [sseChunk('m', { content: 'x' }), 'data: {"choices":[{"del'] }, 'network'],
  ['a finish reason that is an error', { text: 'x', finishReason: 'error' }, 'overloaded'],
  ['a redirect', { raw: [], status: 307, headers: { location: 'https://example.com/v1' } }, 'bad_request'],
];

for (const [name, step, kind] of broken) {
  for (const stream of [true, false]) {
    test(`${name} is ${kind} (${stream ? 'streamed' : 'whole'})`, async () => {
      await using server = await startModelServer();
      server.enqueue(step);
      const { error } = await askInVain(protocolAt(server.url), { stream });
      assert.equal(error.kind, kind, error.message);
    });
  }
}

test('silence ends in a timeout, before the response and in the middle of it', async () => {
  await using server = await startModelServer();
  const protocol = protocolAt(server.url, { timeouts: { readMs: 100, staleWholeMs: 100 } });
  server.enqueue({ fault: 'hang' }, { fault: 'hang_after' }, { fault: 'hang' });
  for (const stream of [true, true, false]) {
    const { error } = await askInVain(protocol, { stream });
    assert.equal(error.kind, 'timeout');
    assert.match(error.message, /no data arrived for 100 ms/);
    assert.equal(await server.lastRequest.closed, true);
  }
});

test('keep-alive comments do not count as an answer that goes on', async () => {
  await using server = await startModelServer();
  async function* comments(): AsyncGenerator<string> {
    for await (const _ of setInterval(30)) yield ': still here\n\n';
  }
  server.enqueue({ chunks: comments() });
  const { error } = await askInVain(protocolAt(server.url, { timeouts: { readMs: 5000, staleMs: 200 } }));
  assert.match(error.message, /the answer did not go on for 200 ms/);
});

test('an endless answer is cut at its deadline, with the connection, and told as what it is', async () => {
  await using server = await startModelServer();
  async function* words(): AsyncGenerator<string> {
    for await (const _ of setInterval(5)) yield sseChunk('m', { content: 'and ' });
  }
  server.enqueue({ chunks: words() });
  const { error } = await askInVain(protocolAt(server.url, { timeouts: { streamTotalMs: 500 } }));
  assert.equal(error.kind, 'answer_too_long');
  assert.match(error.message, /the answer was cut off: it had no end after 500 ms/);
  assert.equal(await server.lastRequest.closed, true);
});

test('an answer beyond all measure is cut, and a single event may fill that measure', async () => {
  await using server = await startModelServer();
  const megabyte = 'x'.repeat(1024 * 1024);
  const large = sseChunk('m', { content: megabyte.repeat(20) });
  server.enqueue({ raw: [sseChunk('m', { content: 'So: ' }), large, sseChunk('m', {}, 'stop')] });
  assert.equal((await ask(protocolAt(server.url))).text.length, 4 + 20 * megabyte.length);
  const piece = sseChunk('m', { content: megabyte });
  server.enqueue({ raw: Array.from({ length: 70 }, () => piece) });
  const { error, events } = await askInVain(protocolAt(server.url));
  assert.equal(error.kind, 'answer_too_long');
  assert.match(error.message, /no end after about [5-9]\d\d,000 tokens/);
  const said = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  assert.ok(said.length >= 2 * megabyte.length, `${said.length} characters of what was said`);
});

test('an answer that goes far beyond the limit it was given is cut sooner', async () => {
  await using server = await startModelServer({ respond: () => ({ fault: 'endless' }) });
  const { error, events } = await askInVain(protocolAt(server.url), { maxTokens: 100 });
  assert.equal(error.kind, 'answer_too_long');
  const said = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  assert.ok(said.length < 3_000_000, `${said.length} characters`);
});

test('a long wait that a provider asks for is named', async () => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'status', status: 429, headers: { 'retry-after': '3600' } });
  const { error } = await askInVain(protocolAt(server.url));
  assert.match(error.message, /rate limited, ask again in 60 min/);
});

test('an abort before, while waiting and while streaming is always kind aborted', async () => {
  await using server = await startModelServer();
  const protocol = protocolAt(server.url);
  const before = await askInVain(protocol, {}, AbortSignal.abort());
  assert.equal(before.error.kind, 'aborted');
  assert.equal(server.requests.length, 0);
  for (const fault of ['hang', 'hang_after', 'endless'] as const) {
    server.enqueue({ fault });
    const controller = new AbortController();
    const asked = askInVain(protocol, {}, controller.signal);
    const request = await server.requestArrived(server.requests.length + 1);
    controller.abort();
    assert.equal((await asked).error.kind, 'aborted');
    assert.equal(await request.closed, true);
  }
});

test('a reader that walks away ends the request', async () => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'endless' });
  for await (const _ of protocolAt(server.url).stream(
    { model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [], stream: true },
    new AbortController().signal,
  )) {
    break;
  }
  assert.equal(await server.lastRequest.closed, true);
});

test('Retry-After is read as seconds, as a date and as milliseconds', async () => {
  await using server = await startModelServer();
  const limited = (headers: Record<string, string>) => ({ fault: 'status', status: 429, headers }) as const;
  server.enqueue(
    limited({ 'retry-after': '7' }),
    limited({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() }),
    limited({ 'retry-after-ms': '1500', 'retry-after': '2' }),
    limited({ 'retry-after': 'soon' }),
  );
  const protocol = protocolAt(server.url);
  assert.equal((await askInVain(protocol)).error.retryAfterMs, 7000);
  const date = (await askInVain(protocol)).error.retryAfterMs ?? 0;
  assert.ok(date > 50_000 && date <= 60_000, String(date));
  assert.equal((await askInVain(protocol)).error.retryAfterMs, 1500);
  assert.equal((await askInVain(protocol)).error.retryAfterMs, undefined);
});

test('nobody listening and unknown hosts are told in plain words, with the system code as cause', async () => {
  const refused = await askInVain(protocolAt(`http://127.0.0.1:${await freePort()}/v1`));
  assert.equal(refused.error.kind, 'network');
  assert.match(refused.error.message, /nothing answers at this address.*ECONNREFUSED/);
  assert.equal((refused.error.cause as NodeJS.ErrnoException).code, 'ECONNREFUSED');
  const unknown = await askInVain(protocolAt('http://no-such-host.invalid/v1'));
  assert.equal(unknown.error.kind, 'network');
  assert.match(unknown.error.message, /no-such-host\.invalid\).*ENOTFOUND|EAI_AGAIN/);
  assert.equal((await askInVain(protocolAt('not a url'))).error.kind, 'bad_request');
});

test('no message shows the key, whoever repeats it', async () => {
  const apiKey = 'swordfish-of-the-deep-42';
  await using server = await startModelServer({
    respond: () => ({ fault: 'status', status: 401, body: `bad: ${apiKey}` }),
  });
  const echoed = await askInVain(protocolAt(server.url, { authorizer: keyOf(apiKey, 'chat_completions') }));
  assert.ok(!echoed.error.message.includes(apiKey));
  assert.match(echoed.error.message, /swordf\.\.\.p-42/);
  const unsendable = await askInVain(protocolAt(server.url, { authorizer: keyOf(`${apiKey}\nx`, 'chat_completions') }));
  assert.equal(unsendable.error.kind, 'auth');
  assert.ok(!unsendable.error.message.includes(apiKey));
  const header = await askInVain(protocolAt(server.url, { headers: { 'x-api-key': 'another-secret-9' } }));
  assert.ok(!header.error.message.includes('another-secret-9'));
});

test('a bare refusal of a huge conversation is taken as too long', async () => {
  await using server = await startModelServer({
    respond: () => ({ fault: 'status', status: 400, body: 'Bad Request' }),
  });
  const content = 'word '.repeat(60_000);
  const huge = await askInVain(protocolAt(server.url), { messages: [{ role: 'user', content }] });
  assert.equal(huge.error.kind, 'context_overflow');
  assert.equal((await askInVain(protocolAt(server.url))).error.kind, 'bad_request');
});
