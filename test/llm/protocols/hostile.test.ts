/** Whatever a server sends in place of an answer, a request of any format ends in one error, in time and in little memory. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ModelError } from '../../../src/llm/model-error.ts';
import type { ApiMode, ModelEvent } from '../../../src/llm/protocol.ts';
import { openProtocol } from '../../../src/llm/protocols/catalogue.ts';
import { anthropicEvents } from '../../fakes/anthropic-steps.ts';
import { responsesEvents } from '../../fakes/responses-steps.ts';
import { requestOf, keyOf } from './ask.ts';

const modes = ['chat_completions', 'codex_responses', 'anthropic_messages', 'gemini_generate'] as const;
const answer = {
  text: 'Hello 你好 👋',
  reasoning: 'Hm.',
  toolCalls: [{ id: 'call_1', name: 'look', arguments: { at: 'a' } }],
};

function nextNumber(): () => number {
  let last = 0;
  return () => {
    last += 1;
    return last;
  };
}

/** A good stream of each format, event by event. */
const streams: Record<(typeof modes)[number], readonly string[]> = {
  chat_completions: [
    ...[
      { delta: { role: 'assistant', reasoning_content: 'Hm.' } },
      { delta: { content: 'Hello ' } },
      { delta: { content: '你好 👋' } },
      { delta: { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'look', arguments: '{"at":"a"}' } }] } },
      { delta: {}, finish_reason: 'tool_calls' },
    ].map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`),
    'data: [DONE]\n\n',
  ],
  codex_responses: responsesEvents(answer, { model: 'm', encrypted: true, nextId: nextNumber() }),
  anthropic_messages: anthropicEvents('m', answer, () => 'toolu_1', { input_tokens: 1 }),
  gemini_generate: [
    { content: { role: 'model', parts: [{ text: 'Hello ' }] } },
    {
      content: { role: 'model', parts: [{ functionCall: { name: 'look', args: { at: 'a' } } }] },
      finishReason: 'STOP',
    },
  ].map((candidate) => `data: ${JSON.stringify({ candidates: [{ index: 0, ...candidate }] })}\r\n\r\n`),
};

type Body = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/** Answers every request with the body that was set last. */
async function startRaw() {
  let body: () => Body = () => [];
  let contentType = 'text/event-stream';
  const server = createServer((request, response) => {
    request.resume();
    response.on('error', () => undefined).setMaxListeners(0);
    response.writeHead(200, { 'content-type': contentType });
    void (async () => {
      for await (const chunk of body()) {
        if (response.destroyed) return;
        if (!response.write(chunk))
          await new Promise<void>((resolve) => {
            response.once('drain', resolve);
            response.once('close', resolve);
          });
      }
      response.end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    send(next: () => Body, type = 'text/event-stream') {
      body = next;
      contentType = type;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Outcome = { readonly done: boolean; readonly error?: ModelError };

async function run(mode: ApiMode, url: string, timeouts: object = {}): Promise<Outcome> {
  const authorizer = keyOf('sk-ant-api-secret-key', mode);
  const protocol = await openProtocol(mode, { provider: 'p', baseUrl: url, authorizer, timeouts });
  const events: ModelEvent[] = [];
  try {
    for await (const event of protocol.stream(requestOf(), new AbortController().signal)) events.push(event);
  } catch (error) {
    assert.ok(error instanceof ModelError, `not a ModelError: ${String(error)}`);
    assert.ok(error.message.length <= 300 && !/[\n<>]/.test(error.message), error.message);
    assert.doesNotMatch(error.message, /secret-key/);
    assert.ok(!events.some(({ type }) => type === 'done'), 'an error after done');
    return { done: false, error };
  }
  assert.equal(events.filter(({ type }) => type === 'done').length, 1);
  assert.equal(events.at(-1)?.type, 'done');
  return { done: true };
}

test('a good stream is an answer, whatever content type it claims to have', async () => {
  await using server = await startRaw();
  for (const mode of modes) {
    for (const type of ['text/event-stream', 'text/plain', 'application/octet-stream']) {
      server.send(() => streams[mode], type);
      assert.ok((await run(mode, server.url)).done, `${mode} as ${type}`);
    }
  }
});

test('torn, doubled, mixed-up and broken events end in an answer or in one error', async () => {
  await using server = await startRaw();
  for (const mode of modes) {
    const events = streams[mode];
    const index = fc.nat({ max: events.length - 1 });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          doubled: fc.array(index, { maxLength: 3 }),
          dropped: fc.array(index, { maxLength: 2 }),
          swap: fc.tuple(index, index),
          cut: fc.nat({ max: 2000 }),
          flip: fc.nat({ max: 2000 }),
          noise: fc.boolean(),
        }),
        async ({ doubled, dropped, swap, cut, flip, noise }) => {
          const changed = events.flatMap((event, at) =>
            dropped.includes(at) ? [] : doubled.includes(at) ? [event, event] : [event],
          );
          const [a, b] = swap;
          const [first, second] = [changed[a], changed[b]];
          if (first !== undefined && second !== undefined) {
            changed[a] = second;
            changed[b] = first;
          }
          const bytes = Buffer.from(changed.join(''));
          if (noise && flip < bytes.length) bytes[flip] = 0xff;
          server.send(() => [bytes.subarray(0, cut), bytes.subarray(cut)]);
          await run(mode, server.url);
        },
      ),
      { numRuns: 40 },
    );
  }
});

test('a line without end is cut at the bound of an answer', async () => {
  await using server = await startRaw();
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  for (const mode of modes) {
    let sent = 0;
    server.send(function* () {
      yield 'data: {"a":"';
      for (; sent < 80; sent += 1) yield megabyte;
    });
    const before = process.memoryUsage().rss;
    const { error } = await run(mode, server.url);
    assert.equal(error?.kind, 'answer_too_long', mode);
    const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
    assert.ok(grown < 400, `${mode}: ${grown.toFixed(0)} MB more`);
  }
});

test('a stream that never ends does not run for ever, be it words or signs of life', async () => {
  const endless = (chunk: string) =>
    async function* () {
      for (;;) {
        yield chunk;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
  await Promise.all(
    modes.flatMap((mode) => [
      (async () => {
        await using own = await startRaw();
        own.send(endless(': still there\n\n'));
        const { error } = await run(mode, own.url, { staleMs: 250, readMs: 5000 });
        assert.equal(error?.kind, 'timeout', `${mode}: comments`);
      })(),
      (async () => {
        await using own = await startRaw();
        own.send(endless(streams[mode][0] ?? ''));
        const { error } = await run(mode, own.url, { streamTotalMs: 3000 });
        assert.equal(error?.kind, 'answer_too_long', `${mode}: words`);
      })(),
    ]),
  );
});

test('an answer of more than 64 MB is cut', async () => {
  await using server = await startRaw();
  const chunk = Buffer.from(`: ${'x'.repeat(1024 * 1024 - 4)}\n\n`);
  server.send(function* () {
    for (let sent = 0; sent < 80; sent += 1) yield chunk;
  });
  for (const mode of modes) assert.equal((await run(mode, server.url)).error?.kind, 'answer_too_long', mode);
});

test('pages, plain words and errors in place of an answer are told as what they are', async () => {
  await using server = await startRaw();
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ['<!DOCTYPE html><html><head><title>Sign in</title></head></html>', 'text/html', /Sign in|HTML|page/i],
    ['Bad gateway', 'text/plain', /neither JSON nor an event stream|not|malformed/],
    ['{"error":{"message":"rate limit exceeded","type":"rate_limit_error"}}', 'application/json', /rate limit/],
    ['null', 'application/json', /./],
    ['[]', 'application/json', /./],
    ['', 'text/event-stream', /closed before the answer began|no answer|./],
  ];
  for (const mode of modes) {
    for (const [text, type, pattern] of cases) {
      server.send(() => [text], type);
      const { error } = await run(mode, server.url);
      assert.match(error?.message ?? 'an answer', pattern, `${mode}: ${text}`);
      assert.ok(error !== undefined, `${mode}: ${text} was taken for an answer`);
    }
  }
});
