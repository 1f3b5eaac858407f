/** The fake model server keeps its own promises. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from './model-server.ts';

function ask(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify(body), headers });
}

const hello = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

test('steps are answered in order, whole or streamed as asked, and every request is recorded', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'first' }, { text: 'second ü', bytesPerWrite: 1 });
  const whole = (await (await ask(server.url, hello)).json()) as { choices: { message: { content: string } }[] };
  assert.equal(whole.choices[0]?.message.content, 'first');
  const streamed = await (await ask(server.url, { ...hello, stream: true })).text();
  assert.match(streamed, /second ü/);
  assert.match(streamed, /data: \[DONE\]\n\n$/);
  assert.equal(server.requests.length, 2);
  assert.deepEqual(server.violations, []);
});

test('an unexpected request, a wrong key and broken histories are reported', async () => {
  await using server = await startModelServer({ apiKey: 'right', strict: true });
  assert.equal((await ask(server.url, hello)).status, 401);
  const auth = { authorization: 'Bearer right' };
  assert.equal((await ask(server.url, hello, auth)).status, 400);
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const broken = [
    { role: 'user', content: 'hi' },
    { role: 'user', content: '' },
    { role: 'assistant', content: null, tool_calls: [call], finish_reason: 'stop' },
    { role: 'tool', tool_call_id: 'b', content: 'x' },
    { role: 'tool', tool_call_id: 'c', content: 'x' },
  ];
  assert.equal((await ask(server.url, { model: 'm', messages: broken }, auth)).status, 400);
  assert.deepEqual(server.violations, [
    'request 0 was not expected',
    'request 1: message 1 (user): empty content',
    'request 1: message 1 (user): two user messages in a row',
    'request 1: message 2 (assistant): unknown field finish_reason',
    'request 1: message 2 (assistant): content is neither text nor parts',
    'request 1: message 3 (tool): answers "b", expected a',
    'request 1: message 4 (tool): a result without a call',
  ]);
});

test('a gate holds the answer until the test opens it', async () => {
  const gate = Promise.withResolvers<void>();
  await using server = await startModelServer({ respond: () => ({ text: 'late', gate: gate.promise }) });
  const answer = ask(server.url, hello);
  await server.requestArrived(1);
  gate.resolve();
  assert.equal((await answer).status, 200);
});

test('a client that gives up is noticed', async () => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'endless' });
  const controller = new AbortController();
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ ...hello, stream: true }),
    signal: controller.signal,
  });
  assert.equal(response.status, 200);
  controller.abort();
  assert.equal(await server.lastRequest.closed, true);
});
