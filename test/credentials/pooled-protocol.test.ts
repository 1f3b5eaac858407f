/** Requests over several keys, against a server that speaks the real wire format. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Credential } from '../../src/credentials/credential.ts';
import { LoginLost } from '../../src/credentials/login-lost.ts';
import type { StoredPool } from '../../src/credentials/pool.ts';
import { PooledProtocol } from '../../src/credentials/pooled-protocol.ts';
import type { Protocol } from '../../src/llm/protocol.ts';
import { type ModelServer, type RecordedRequest, type Step, startModelServer } from '../fakes/model-server.ts';
import { sseChunk, sseEvent } from '../fakes/model-steps.ts';
import { ask, askInVain, keyOf, protocolAt, requestOf } from '../llm/protocols/ask.ts';
import { hour, keys, never, setUp } from './pool-fixture.ts';

function refusal(status: number, message = 'Slow down', headers: Record<string, string> = {}): Step {
  return { fault: 'status', status, body: { error: { message } }, headers };
}

function over(pool: StoredPool, server: ModelServer): Protocol {
  return new PooledProtocol(pool, async ({ secret }) =>
    protocolAt(server.url, { authorizer: keyOf(secret, 'chat_completions') }),
  );
}

/** The keys of the requests so far, as the letters of `keys`. */
function used(server: ModelServer): string {
  return server.requests.map(({ headers }) => headers.authorization?.replace('Bearer secret-', '')).join('');
}

const isFrom = (request: RecordedRequest, key: string) => request.headers.authorization === `Bearer secret-${key}`;

test('429 and 429 on the first key: the third request of the same turn goes out with the second', async (t) => {
  const { pool, clock } = setUp(t);
  await using server = await startModelServer();
  const protocol = over(pool(), server);
  server.enqueue(refusal(429), refusal(429), { text: 'hello' });
  assert.equal((await ask(protocol)).text, 'hello');
  assert.equal(used(server), 'aab');
  clock.at += hour - 1000;
  server.enqueue({ text: 'still' }, { text: 'again' });
  await ask(protocol);
  clock.at += 2000;
  await ask(protocol);
  assert.equal(used(server), 'aabba');
  assert.deepEqual(server.violations, []);
});

test('402 on the first key: the second at once, and the first not for 24 hours, in later processes either', async (t) => {
  const { pool, clock } = setUp(t);
  await using server = await startModelServer({
    respond: (request) => (isFrom(request, 'a') ? refusal(402, 'Payment required') : { text: 'hello' }),
  });
  await ask(over(pool(), server));
  clock.at += 24 * hour - 1000;
  await ask(over(pool(), server));
  assert.equal(used(server), 'abb');
  clock.at += 2000;
  await ask(over(pool(), server));
  assert.equal(used(server), 'abbab');
});

test('a used-up plan moves on at once, whatever number the provider gives it', async (t) => {
  const limits = [
    refusal(429, 'You exceeded your current quota, please check your plan and billing details'),
    refusal(429, 'The usage limit has been reached'),
    refusal(429, 'Rate limit exceeded: free-models-per-day'),
    refusal(400, 'Your credit balance is too low to access the API'),
  ];
  for (const limit of limits) {
    await using server = await startModelServer();
    server.enqueue(limit, { text: 'hello' });
    await ask(over(setUp(t).pool(), server));
    assert.equal(used(server), 'ab');
  }
});

test('with a single key a rate limit is thrown at once', async (t) => {
  const { pool, exists } = setUp(t);
  await using server = await startModelServer();
  server.enqueue(refusal(429, 'Slow down', { 'retry-after': '1' }), { text: 'hello' });
  const protocol = over(pool({ seeds: keys('a') }), server);
  const { error } = await askInVain(protocol);
  assert.deepEqual([error.kind, error.retryAfterMs], ['rate_limit', 1000]);
  assert.equal((await ask(protocol)).text, 'hello');
  assert.equal(exists(), false);
});

test('when no key is left the last refusal is thrown, and the next request says when to come back', async (t) => {
  await using server = await startModelServer({ respond: () => refusal(402, 'Payment required') });
  const protocol = over(setUp(t).pool(), server);
  const first = await askInVain(protocol);
  assert.deepEqual([first.error.kind, first.error.status], ['billing', 402]);
  const second = await askInVain(protocol);
  assert.equal(second.error.kind, 'billing');
  assert.match(second.error.message, /tried again in 24 h.*hermes auth reset test/);
  assert.equal(used(server), 'ab');
});

test('a request that is at fault itself is not sent with another key', async (t) => {
  const { pool, exists } = setUp(t);
  await using server = await startModelServer();
  const protocol = over(pool(), server);
  for (const status of [400, 404, 413, 422, 500]) {
    server.enqueue(refusal(status, 'messages[3].content must not be blank in this case'));
    await askInVain(protocol);
  }
  assert.equal(used(server), 'aaaaa');
  assert.equal(exists(), false);
});

test('a key that is refused makes way for the next, and all are tried once', async (t) => {
  const mine = setUp(t).pool({ seeds: keys('a', 'b', 'c') });
  await using server = await startModelServer({ respond: () => refusal(401, 'Incorrect API key provided') });
  const { error } = await askInVain(over(mine, server));
  assert.equal(error.kind, 'auth');
  assert.equal(used(server), 'abc');
});

test('once something was said the request is not repeated, but the key rests', async (t) => {
  await using server = await startModelServer();
  const said = Promise.withResolvers<void>();
  const refused = sseEvent({ error: { code: 429, message: 'usage limit reached' } });
  server.enqueue({ raw: [sseChunk('test-model', { content: 'half an' }), said.promise, refused] }, { text: 'hello' });
  const protocol = over(setUp(t).pool(), server);
  await assert.rejects(
    async () => {
      for await (const event of protocol.stream(requestOf(), never)) {
        assert.equal(event.type, 'text');
        said.resolve();
      }
    },
    { name: 'ModelError', kind: 'rate_limit' },
  );
  await ask(protocol);
  assert.equal(used(server), 'ab');
});

test('a short Retry-After is waited for, and an interrupt ends the wait', async (t) => {
  await using server = await startModelServer();
  server.enqueue(refusal(429, 'Slow down', { 'retry-after-ms': '60', 'retry-after': '0.06' }), { text: 'hello' });
  const mine = setUp(t).pool();
  await ask(over(mine, server));
  const [first, second] = server.requests;
  assert.ok(second!.arrivedAt - first!.arrivedAt >= 55, `${second!.arrivedAt - first!.arrivedAt} ms`);

  server.enqueue(refusal(429, 'Slow down', { 'retry-after': '5' }));
  const stop = new AbortController();
  const waiting = askInVain(over(mine, server), {}, stop.signal);
  await server.requestArrived(3);
  stop.abort();
  assert.equal((await waiting).error.kind, 'aborted');
});

test('an answer that is not read to its end gives its key back', async (t) => {
  const mine = setUp(t).pool();
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'a long answer', gateAfterFirst: gate.promise }, { text: 'hello' });
  const protocol = over(mine, server);
  for await (const event of protocol.stream(requestOf(), never)) {
    assert.equal(event.type, 'text');
    break;
  }
  gate.resolve();
  await ask(protocol);
  assert.equal(used(server), 'aa');
});

test('children that run side by side use different keys', async (t) => {
  await using server = await startModelServer();
  const gate = Promise.withResolvers<void>();
  server.enqueue({ text: 'one', gate: gate.promise }, { text: 'two', gate: gate.promise });
  const protocol = over(setUp(t).pool(), server);
  const both = [ask(protocol), ask(protocol)];
  await server.requestArrived(2);
  gate.resolve();
  await Promise.all(both);
  assert.equal(used(server).split('').sort().join(''), 'ab');
});

test('a protocol is opened once for a key and not kept for ever', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'hello' }) });
  const names = 'abcdefghijkl'.split('');
  const mine = setUp(t).pool({ seeds: keys(...names), strategy: 'round_robin' });
  const opened: string[] = [];
  const open = async ({ secret }: Credential) => {
    opened.push(secret.slice(-1));
    return protocolAt(server.url, { authorizer: keyOf(secret, 'chat_completions') });
  };
  const protocol = new PooledProtocol(mine, open);
  for (let n = 0; n < 13; n += 1) await ask(protocol);
  assert.equal(opened.join(''), 'abcdefghijkla');
  const single = new PooledProtocol(setUp(t).pool(), open);
  opened.length = 0;
  for (let n = 0; n < 3; n += 1) await ask(single);
  assert.equal(opened.join(''), 'a');
});

test('a refused login is renewed and the request answered, within the same request', async (t) => {
  const { pool, clock, write } = setUp(t);
  write([
    { id: 'l', source: 'device_code', access_token: 'secret-a', refresh_token: 'r', expires_at_ms: clock.at + hour },
  ]);
  await using server = await startModelServer({ apiKey: 'secret-b', respond: () => ({ text: 'hello' }) });
  const refresh = async () => ({ accessToken: 'secret-b', expiresAt: clock.at + hour });
  assert.equal((await ask(over(pool({ seeds: [], refresh }), server))).text, 'hello');
});

test('a login that has ended is one attempt and one message to log in again', async (t) => {
  const { pool, clock, write } = setUp(t);
  write([
    { id: 'l', source: 'device_code', access_token: 'secret-a', refresh_token: 'r', expires_at_ms: clock.at + hour },
  ]);
  await using server = await startModelServer({ respond: () => refusal(401, 'Unauthorized') });
  let asked = 0;
  const refresh = async () => {
    asked += 1;
    throw new LoginLost('the provider answered invalid_grant');
  };
  const protocol = over(pool({ seeds: [], refresh }), server);
  for (let n = 0; n < 3; n += 1) {
    const { error } = await askInVain(protocol);
    assert.equal(error.kind, 'auth');
    assert.match(error.message, /invalid_grant.*hermes auth add test/);
  }
  assert.equal(asked, 1);
  assert.equal(server.requests.length, 1);
});

test('trouble with getting a credential ready is a model error too', async (t) => {
  const { pool, clock, write } = setUp(t);
  write([{ id: 'l', source: 'device_code', access_token: 'x', refresh_token: 'r', expires_at_ms: clock.at - 1 }]);
  await using server = await startModelServer();
  const refresh = async () => {
    throw new Error('no network');
  };
  const { error } = await askInVain(over(pool({ seeds: [], refresh }), server));
  assert.equal(error.kind, 'network');
  const empty = await askInVain(over(setUp(t).pool({ seeds: [] }), server));
  assert.equal(empty.error.kind, 'auth');
  assert.equal((await askInVain(over(setUp(t).pool(), server), {}, AbortSignal.abort())).error.kind, 'aborted');
});
