/** What happens when a model request fails. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startModelServer } from '../fakes/model-server.ts';
import { agentOn, collect, errorOf, routeTo, rolesOf } from './support.ts';

test('two 429 answers are waited out, at least 2 and 4 seconds, then the answer comes', async () => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'status', status: 429 }, { fault: 'status', status: 429 }, { text: 'there' });
  const { agent, clock } = agentOn(server);
  const { result } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'there');
  assert.ok((clock.waits[0] ?? 0) >= 2000 && (clock.waits[1] ?? 0) >= 4000, clock.waits.join());
});

test('Retry-After is obeyed when it is longer than our own wait', async () => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'status', status: 429, headers: { 'retry-after': '30' } }, { text: 'there' });
  const { agent, clock } = agentOn(server);
  await collect(agent.run('go'));
  assert.deepEqual(clock.waits, [30_000]);
});

test('a provider that asks for an hour is not waited for: another model answers, or its words end the turn', async () => {
  const busy = {
    fault: 'status',
    status: 503,
    headers: { 'retry-after': '3600' },
    body: 'closed for repairs',
  } as const;
  await using primary = await startModelServer({ respond: () => busy });
  await using backup = await startModelServer({ respond: () => ({ text: 'rescued' }) });
  const alone = agentOn(primary);
  const { result } = await collect(alone.agent.run('go'));
  assert.match(errorOf(result), /ask again in 60 min: closed for repairs/);
  assert.deepEqual([alone.clock.waits, primary.requests.length], [[], 1]);
  const two = agentOn(primary, { fallbacks: [async () => routeTo(backup)] });
  assert.equal((await collect(two.agent.run('go'))).result.finalResponse, 'rescued');
  assert.deepEqual([two.clock.waits, primary.requests.length], [[], 2]);
});

test('a web page in place of an answer is told after one request', async () => {
  await using server = await startModelServer({ respond: () => ({ fault: 'html', status: 200 }) });
  const { agent, clock } = agentOn(server);
  const { result } = await collect(agent.run('go'));
  assert.match(errorOf(result), /a web page .* in place of an answer — check the model and the address/);
  assert.deepEqual([clock.waits, server.requests.length], [[], 1]);
});

test('429 with a fallback goes to the fallback at once; the next turn starts on the primary again', async () => {
  await using primary = await startModelServer();
  await using backup = await startModelServer();
  primary.enqueue({ fault: 'status', status: 429 }, { text: 'primary again' });
  backup.enqueue({ text: 'from the backup' });
  const { agent, clock } = agentOn(primary, { fallbacks: [async () => routeTo(backup, 'backup-model')] });
  const first = await collect(agent.run('go'));
  assert.equal(first.result.finalResponse, 'from the backup');
  assert.equal(first.result.model, 'backup-model');
  assert.deepEqual(clock.waits, []);
  assert.ok(first.events.some((event) => event.type === 'status' && event.kind === 'fallback'));
  const second = await collect(agent.run('more'));
  assert.equal(second.result.finalResponse, 'primary again');
});

for (const status of [401, 403, 404, 400, 402, 408, 500, 502, 503, 529]) {
  test(`status ${status} ends on the fallback`, async () => {
    await using primary = await startModelServer({ respond: () => ({ fault: 'status', status }) });
    await using backup = await startModelServer({ respond: () => ({ text: 'rescued' }) });
    const { agent } = agentOn(primary, { fallbacks: [async () => routeTo(backup)] });
    const { result } = await collect(agent.run('go'));
    assert.equal(result.finalResponse, 'rescued');
  });
}

test('401 without a fallback is one request and a failure that names the host and not the key', async () => {
  await using server = await startModelServer({
    respond: () => ({ fault: 'status', status: 401, body: { error: { message: 'bad key test-key' } } }),
  });
  const { agent } = agentOn(server);
  const { result } = await collect(agent.run('go'));
  assert.equal(server.requests.length, 1);
  assert.equal(result.ended, 'failed');
  assert.match(errorOf(result), /127\.0\.0\.1/);
  assert.doesNotMatch(errorOf(result), /test-key/);
});

test('a server that closes before the first chunk twice still gives one clean answer', async () => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'close_before' }, { fault: 'close_before' }, { text: 'clean' });
  const { agent } = agentOn(server);
  const { result, events } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'clean');
  assert.equal(events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join(''), 'clean');
});

test('a connection lost in the middle of the answer voids what was shown and is told', async () => {
  await using server = await startModelServer();
  server.enqueue({ fault: 'reset', text: 'half an ans' }, { text: 'a whole answer' });
  const { agent } = agentOn(server);
  const { result, events } = await collect(agent.run('go'));
  assert.equal(result.finalResponse, 'a whole answer');
  assert.ok(events.some((event) => event.type === 'text_reset'));
  assert.ok(events.some((event) => event.type === 'status' && event.kind === 'retry'));
  assert.deepEqual(rolesOf(agent.history), ['user', 'assistant']);
});

test('retries end after four attempts with the last error, and the history stays usable', async () => {
  await using server = await startModelServer();
  for (let n = 0; n < 4; n += 1) server.enqueue({ fault: 'status', status: 503 });
  server.enqueue({ text: 'back' });
  const { agent } = agentOn(server);
  const { result } = await collect(agent.run('go'));
  assert.equal(result.ended, 'failed');
  assert.equal(server.requests.length, 4);
  assert.equal((await collect(agent.run('again'))).result.finalResponse, 'back');
  assert.deepEqual(server.violations, []);
});

test('a provider that is silent again and again is left alone, however often it may be asked', async () => {
  await using server = await startModelServer({ respond: () => ({ fault: 'status', status: 408 }) });
  await using backup = await startModelServer({ respond: () => ({ text: 'from the other one' }) });
  const { agent } = agentOn(server, { retries: 20 });
  assert.equal((await collect(agent.run('go'))).result.ended, 'failed');
  assert.equal(server.requests.length, 5);
  const helped = agentOn(server, { retries: 20, fallbacks: [async () => routeTo(backup)] });
  assert.equal((await collect(helped.agent.run('go'))).result.finalResponse, 'from the other one');
  assert.equal(server.requests.length, 10);
});

test('a failed storage ends the turn with its error instead of losing messages silently', async () => {
  await using server = await startModelServer();
  server.enqueue({ text: 'lost' });
  const { agent, transcript } = agentOn(server);
  transcript.append = (message) =>
    message.role === 'assistant' ? Promise.reject(new Error('disk full')) : Promise.resolve('1');
  const { result } = await collect(agent.run('go'));
  assert.equal(result.ended, 'failed');
  assert.match(errorOf(result), /disk full/);
});

test('an endpoint that does not stream is asked whole, for the rest of the conversation', async () => {
  await using server = await startModelServer({
    respond: ({ body }) =>
      body.stream === true
        ? { fault: 'status', status: 400, body: { error: { message: 'stream is not supported for this model' } } }
        : { text: 'whole' },
  });
  const { agent } = agentOn(server);
  assert.equal((await collect(agent.run('a'))).result.finalResponse, 'whole');
  assert.equal((await collect(agent.run('b'))).result.finalResponse, 'whole');
  assert.deepEqual(
    server.requests.map((request) => request.body.stream === true),
    [true, false, false],
  );
});

test('a local server that reads only a part of what it is sent is named once, and one that reads all of it is not', async () => {
  const big = 'word '.repeat(4000);
  const counted = (prompt_tokens: number) => ({ prompt_tokens, completion_tokens: 5, total_tokens: prompt_tokens + 5 });
  const warningsAfter = async (...answers: readonly (number | readonly [sent: string, counted: number])[]) => {
    await using server = await startModelServer();
    const { agent } = agentOn(server);
    const lines: string[] = [];
    for (const answer of answers) {
      const [text, tokens] = typeof answer === 'number' ? [big, answer] : answer;
      server.enqueue({ text: 'ok', usage: counted(tokens) });
      const { events } = await collect(agent.run(text));
      for (const event of events) if (event.type === 'status' && event.kind === 'warning') lines.push(event.message);
    }
    return lines;
  };
  const [line = '', ...others] = await warningsAfter(2048, 4096);
  assert.match(line, /read about 2,000 of 5,000 tokens that test-model was sent.*OLLAMA_CONTEXT_LENGTH/);
  assert.deepEqual(others, []);
  assert.deepEqual(await warningsAfter(4020, 2000), [], 'what was read before may not be counted again');
  assert.deepEqual(await warningsAfter(10), [], 'this one does not count');
  assert.equal((await warningsAfter(4020, 4096, ['and?', 4096])).length, 1, 'a window that is full only later');
});
