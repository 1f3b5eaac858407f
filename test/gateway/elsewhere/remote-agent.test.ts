/** What is read of another Hermes, and how long it is waited for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../../src/llm/message.ts';
import { ModelError } from '../../../src/llm/model-error.ts';
import type { ModelEvent } from '../../../src/llm/protocol.ts';
import { boundedLines } from '../../../src/gateway/elsewhere/bounded-lines.ts';
import { RemoteAgent } from '../../../src/gateway/elsewhere/remote-agent.ts';
import { startModelServer } from '../../fakes/model-server.ts';

const context = {
  provider: 'p',
  model: 'm',
  host: 'h',
  secrets: [],
  messageCount: 1,
  requestTokens: 1,
};

async function ask(url: string, messages: readonly Message[], silenceMs?: number): Promise<ModelEvent[]> {
  const agent = new RemoteAgent({
    provider: 'gateway.proxy_url',
    model: 'hermes-agent',
    url: url.replace(/\/v1$/, ''),
    key: undefined,
    network: {},
    ...(silenceMs === undefined ? {} : { silenceMs }),
  });
  const request = { model: 'any', messages, tools: [], stream: true, sessionId: 's1' };
  const events: ModelEvent[] = [];
  for await (const event of agent.stream(request, new AbortController().signal)) events.push(event);
  return events;
}

test('a line that does not end is given up, counted in characters, however it is cut', async () => {
  const pieces = ['data: ää', 'ää', 'ä\ndata: ä', 'ääää', 'ä'].map((text) => new TextEncoder().encode(text));
  const lines = boundedLines({ read: () => Promise.resolve(pieces.shift()), header: () => undefined }, context, 11);
  for (let read = 0; read < 4; read += 1) assert.ok((await lines.read()) !== undefined);
  await assert.rejects(lines.read(), /a line of the answer is longer than 11 characters/);
});

test('a line of more than sixteen million characters ends the request with a word', async () => {
  await using server = await startModelServer();
  server.enqueue({ chunks: endlessLine() });
  await assert.rejects(
    ask(server.url, [{ role: 'user', content: 'hi' }]),
    (error) =>
      error instanceof ModelError && /^Proxy error \(.*\): a line .* longer than 16777216 /.test(error.message),
  );
  assert.equal(await server.lastRequest.closed, true);
});

test('an agent that gives no sign of life in time is not waited for any longer, and not asked again', async () => {
  await using server = await startModelServer();
  const never = Promise.withResolvers<void>();
  server.enqueue({ text: 'late', gate: never.promise });
  await assert.rejects(
    ask(server.url, [{ role: 'user', content: 'hi' }], 50),
    (error) => error instanceof ModelError && error.kind === 'asked_once' && /no data arrived/.test(error.message),
  );
  assert.equal(server.requests.length, 1);
  never.resolve();
});

test('without a key none is sent, and of a very long conversation the newest part goes along', async () => {
  await using server = await startModelServer({ respond: () => ({ text: 'yes', finishReason: 'length' }) });
  const said = Array.from({ length: 30 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${index} ${'x'.repeat(100_000)}`,
  }));
  const events = await ask(server.url, [...said, { role: 'user', content: 'and?' }]);
  const done = events.at(-1);
  // The other side went on as far as it could.
  assert.ok(done?.type === 'done' && done.stopReason === 'stop');
  const { headers, body } = server.lastRequest;
  assert.equal(headers.authorization, undefined);
  assert.equal(headers['x-hermes-session-id'], 's1');
  assert.equal(body.messages.length, 10);
  assert.match(JSON.stringify(body.messages[0]), /"21 x/);
});

async function* endlessLine(): AsyncGenerator<string> {
  const piece = 'x'.repeat(1024 * 1024);
  yield 'data: ';
  for (;;) {
    await Promise.resolve();
    yield piece;
  }
}
