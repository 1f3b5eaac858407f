/** Proxy mode: a chat of one gateway is answered by the API server of another Hermes. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { proxyRoute, proxyWarning } from '../../../src/gateway/elsewhere/proxy-route.ts';
import { platform } from '../../../src/gateway/platforms/telegram/telegram.ts';
import { UserError } from '../../../src/lib/errors.ts';
import { startJsonServer } from '../../fakes/json-server.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { makePng } from '../../fakes/pictures.ts';
import { FakeTelegram } from '../../fakes/telegram-platform.ts';
import { key, startApi } from '../../http/api/support.ts';
import { placeFor, textOf } from '../../runtime/support.ts';
import { configOf, until } from '../fake-host.ts';
import { openGateway, type OpenOptions } from '../support.ts';

interface ProxyOptions extends Pick<OpenOptions, 'receive'> {
  readonly more?: string;
  readonly given?: string;
}

/** No model is set up where the chats are: whatever asked one would fail. */
async function openProxied(
  t: TestContext,
  url: string,
  { more = '', given = key, receive = () => Promise.resolve([]) }: ProxyOptions = {},
) {
  const fake = await FakeTelegram.open();
  t.after(() => fake[Symbol.asyncDispose]());
  const config = configOf(platform, fake.variables, fake.block);
  const env = { GATEWAY_PROXY_URL: `${url}/`, GATEWAY_PROXY_KEY: given };
  const place = placeFor(t, undefined, more === '' ? '{}\n' : more, { env });
  const nowhere = { url: 'http://127.0.0.1:9' };
  const opened = await openGateway(t, nowhere, { place, receive, platforms: [{ platform, config }] });
  const { dm } = fake.places;
  return { ...opened, fake, dm, texts: () => fake.shown(dm).map(({ text }) => text) };
}

const atOnce = 'streaming:\n  enabled: false\n';

async function storedIn({ program }: { readonly program: Parameters<typeof sessionsOf>[0] }) {
  const [id = ''] = await sessionsOf(program);
  return { id, said: (await program.store?.messages.conversation(id)) ?? [] };
}

async function sessionsOf(program: Awaited<ReturnType<ReturnType<typeof placeFor>['open']>>) {
  return (await program.store?.maintenance.sessionIds()) ?? [];
}

/** Everything that was written down as a log. */
function logsOf(homePath: string): string {
  const folder = join(homePath, 'logs');
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

test('the other Hermes answers with its own tools and prompt, and both have what was said', async (t) => {
  const api = await startApi(t);
  api.model.enqueue(
    { toolCalls: [{ name: 'todo', arguments: {} }] },
    { text: 'Hello **Fred**.' },
    { text: 'As I said: hello.' },
  );
  const { gateway, fake, dm, texts } = await openProxied(t, api.url);
  await fake.write({ in: dm, text: 'hi' });
  await until(() => texts().at(-1) === 'Hello Fred.');
  await fake.write({ in: dm, text: 'again' });
  await until(() => texts().at(-1) === 'As I said: hello.');
  assert.deepEqual(texts(), ['Hello Fred.', 'As I said: hello.']);
  const here = await storedIn(gateway);
  assert.deepEqual(
    here.said.map(({ role, content }) => [role, content]),
    [
      ['user', 'hi'],
      ['assistant', 'Hello **Fred**.'],
      ['user', 'again'],
      ['assistant', 'As I said: hello.'],
    ],
  );
  assert.deepEqual(await sessionsOf(api.program), [here.id], 'under the same id');
  const there = await api.store.messages.conversation(here.id);
  assert.deepEqual(
    there.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'assistant', 'user', 'assistant'],
  );
  const [system] = api.model.requests[0]?.body.messages ?? [];
  assert.match(textOf(system), /Telegram/, 'it knows where the person writes');
  assert.deepEqual(api.model.violations, []);
});

test('what is asked for is what the API takes: the chat, what was said, the new text, and the key in its header', async (t) => {
  await using server = await startModelServer();
  server.enqueue({ text: 'one' }, { text: 'two' });
  const { fake, dm, texts, place, gateway } = await openProxied(t, server.url, {
    more: `agent:\n  system_prompt: SECRETLY\n${atOnce}`,
  });
  await fake.write({ in: dm, text: 'hi' });
  await until(() => texts().length === 1);
  await fake.write({ in: dm, text: 'more' });
  await until(() => texts().length === 2);
  const [, second] = server.requests;
  assert.deepEqual(Object.keys(second?.body ?? {}).toSorted(), ['messages', 'model', 'stream']);
  assert.equal(second?.body.model, 'hermes-agent');
  assert.equal(second?.body.stream, true);
  const [context, ...said] = second?.body.messages ?? [];
  assert.equal(context?.role, 'system');
  assert.doesNotMatch(textOf(context), /SECRETLY|You are Hermes/);
  assert.deepEqual(
    said.map(({ role, content }) => [role, content]),
    [
      ['user', 'hi'],
      ['assistant', 'one'],
      ['user', 'more'],
    ],
  );
  assert.equal(second?.headers.authorization, `Bearer ${key}`);
  assert.equal(second?.headers['x-hermes-session-id'], (await storedIn(gateway)).id);
  assert.equal(second?.path, '/v1/chat/completions');
  assert.ok(!logsOf(place.homePath).includes(key));
});

test('an answer is shown while it comes, and stands there once', async (t) => {
  const answer = 'word '.repeat(300).trim();
  const api = await startApi(t, { respond: () => ({ text: answer, pieceChars: 20 }) });
  const streaming = 'streaming:\n  enabled: true\n  edit_interval: 0.01\n';
  const { fake, dm, texts } = await openProxied(t, api.url, { more: streaming });
  await fake.write({ in: dm, text: 'talk' });
  await until(() => texts().at(-1) === answer);
  assert.equal(texts().length, 1);
  assert.ok(fake.server.requests.some(({ method }) => /^editMessageText|Draft$/.test(method)));
});

test('who stops a turn ends it there as well', async (t) => {
  const never = Promise.withResolvers<void>();
  const api = await startApi(t);
  api.model.enqueue({ text: 'first and last', gateAfterFirst: never.promise }, { text: 'Yes?' });
  const { gateway, fake, dm, texts } = await openProxied(t, api.url);
  await fake.write({ in: dm, text: 'work' });
  const asked = await api.model.requestArrived(1);
  const [chat] = gateway.chats.busy;
  assert.equal(await chat?.stop(), true);
  assert.equal(await asked.closed, true);
  await fake.write({ in: dm, text: 'hello?' });
  await until(() => texts().includes('Yes?'));
  assert.equal(api.model.requests.length, 2);
  never.resolve();
});

test('a message that comes in between ends the request where it interrupts', async (t) => {
  await using server = await startModelServer();
  const never = Promise.withResolvers<void>();
  server.enqueue({ text: 'too late', gate: never.promise }, { text: 'The second.' });
  const more = `display:\n  busy_input_mode: interrupt\n${atOnce}`;
  const { fake, dm, texts } = await openProxied(t, server.url, { more });
  await fake.write({ in: dm, text: 'first' });
  const asked = await server.requestArrived(1);
  await fake.write({ in: dm, text: 'second' });
  assert.equal(await asked.closed, true);
  await until(() => texts().includes('The second.'));
  assert.equal(server.requests.length, 2);
  assert.ok(!texts().includes('too late'));
  never.resolve();
});

for (const mode of ['queue', 'steer']) {
  test(`a message that comes in between is asked after the answer, never beside it: ${mode}`, async (t) => {
    await using server = await startModelServer();
    const soon = Promise.withResolvers<void>();
    server.enqueue({ text: 'The first.', gate: soon.promise }, { text: 'The second.' });
    const more = `display:\n  busy_input_mode: ${mode}\n  busy_ack_enabled: false\n${atOnce}`;
    const { gateway, fake, dm, texts } = await openProxied(t, server.url, { more });
    await fake.write({ in: dm, text: 'first' });
    await server.requestArrived(1);
    await fake.write({ in: dm, text: 'second' });
    await until(() => gateway.chats.busy.length === 1);
    assert.equal(server.requests.length, 1);
    soon.resolve();
    await until(() => texts().includes('The second.'));
    assert.deepEqual(texts(), ['The first.', 'The second.']);
    assert.equal(server.requests.length, 2);
    assert.match(JSON.stringify(server.lastRequest.body.messages.at(-1)), /second/);
  });
}

test('what was cut off here is asked again by the next process, and answered once', async (t) => {
  await using server = await startModelServer();
  const never = Promise.withResolvers<void>();
  server.enqueue({ text: 'lost', gate: never.promise }, { text: 'found' });
  const first = await openProxied(t, server.url, { more: atOnce });
  const { fake, dm, texts, place } = first;
  await fake.write({ in: dm, text: 'do it' });
  const asked = await server.requestArrived(1);
  await first.close();
  assert.equal(await asked.closed, true);
  const config = configOf(platform, fake.variables, fake.block);
  const { gateway } = await openGateway(t, server, { place, platforms: [{ platform, config }] });
  await until(() => texts().length > 0);
  await gateway.drain(AbortSignal.timeout(10_000));
  assert.deepEqual(texts(), ['found']);
  assert.equal(server.requests.length, 2);
  never.resolve();
});

const faults = [
  [
    'a wrong key',
    { fault: 'status', status: 401, body: { error: { message: 'Invalid API key' } } },
    /^⚠️ Proxy error \(401\): Invalid API key — GATEWAY_PROXY_KEY/,
  ],
  [
    'a server that drains',
    { fault: 'status', status: 503, headers: { 'retry-after': '1' }, body: { error: { message: `draining ${key}` } } },
    /^⚠️ Proxy error \(503\): draining k-0123\.\.\.cdef$/,
  ],
  [
    'a limit that is reached',
    { fault: 'status', status: 429, headers: { 'retry-after': '1' }, body: { error: { message: 'Too many runs' } } },
    /^⚠️ Proxy error \(429\): Too many runs$/,
  ],
  ['a server that fails', { fault: 'status', status: 500, body: 'oh no\nat x' }, /^⚠️ Proxy error \(500\): oh no at x$/],
  ['a page', { fault: 'html', status: 502 }, /^⚠️ Proxy error \(502\): \S/],
  ['a connection that breaks', { fault: 'close_before' }, /^⚠️ Proxy error \(127\.0\.0\.1:\d+\): \S/],
  [
    'an answer that is cut',
    { fault: 'close_after', text: 'I was about' },
    /^I was about\n\n⚠️ Proxy error \(127\.0\.0\.1:\d+\): the connection was closed in the middle/,
  ],
  [
    'an error in the answer',
    { fault: 'error_event', text: 'Well', error: { message: 'no model' } },
    /^Well\n\n⚠️ Proxy error \(127\.0\.0\.1:\d+\): .*no model$/,
  ],
  ['bytes that are no text', { fault: 'garbage' }, /^⚠️ Proxy error \(127\.0\.0\.1:\d+\): \S/],
  ['a broken event', { fault: 'malformed_json', text: 'So' }, /^So\n\n⚠️ Proxy error \(127\.0\.0\.1:\d+\): \S/],
  ['nothing', {}, /^⚠️ Proxy error.*: the other agent ended its turn without an answer$/],
] as const;

for (const [name, step, told] of faults) {
  test(`${name}: it is told in a line, asked once, and the next message works`, async (t) => {
    await using server = await startModelServer();
    server.enqueue(step, { text: 'Here I am.' });
    const { fake, dm, texts, place } = await openProxied(t, server.url, { more: atOnce });
    await fake.write({ in: dm, text: 'hi' });
    await until(() => texts().length === 1);
    assert.match(texts()[0] ?? '', told);
    await fake.write({ in: dm, text: 'and now?' });
    await until(() => texts().at(-1) === 'Here I am.');
    assert.equal(server.requests.length, 2);
    assert.ok(!`${texts().join('\n')}${logsOf(place.homePath)}`.includes(key));
  });
}

test('a redirect is not followed, and the key goes nowhere else', async (t) => {
  await using elsewhere = await startJsonServer();
  const moved = { status: 307, headers: { location: `${elsewhere.url}/v1/chat/completions` } };
  await using server = await startJsonServer({ 'POST /v1/chat/completions': moved });
  const { fake, dm, texts } = await openProxied(t, server.url, { more: atOnce });
  await fake.write({ in: dm, text: 'hi' });
  await until(() => texts().length === 1);
  assert.match(texts()[0] ?? '', /^⚠️ Proxy error \(307\): the address redirects/);
  assert.equal(elsewhere.requests.length, 0);
});

test('garbage in the place of an answer is told', async (t) => {
  await using server = await startJsonServer({ 'POST /v1/chat/completions': { body: 'what?' } });
  const { fake, dm, texts } = await openProxied(t, server.url, { more: atOnce });
  await fake.write({ in: dm, text: 'hi' });
  await until(() => texts().length === 1);
  assert.match(texts()[0] ?? '', /^⚠️ Proxy error \(127\.0\.0\.1:\d+\): the answer is not a JSON object$/);
  assert.equal(server.requests.length, 1);
});

test('another model cannot take the place of the other agent, and nothing is summarised here', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'hello' }) });
  const { gateway, fake, dm, texts } = await openProxied(t, server.url, { more: atOnce });
  await fake.write({ in: dm, text: 'hi' });
  await until(() => texts().length === 1);
  const routes = gateway.program.store?.chatRoutes.each() ?? [];
  for await (const { session_key: chat } of routes) {
    const worker = gateway.chats.find(chat)?.worker;
    assert.ok(worker !== undefined);
    await assert.rejects(worker.session.model.switch('custom:other'), /works elsewhere/);
    const { notices } = await worker.compress({});
    assert.match(notices.join(), /shortens it there/);
  }
  assert.equal(server.requests.length, 1);
});

test('a picture goes along to who looks at it', async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'A red dot.' }) });
  const url = `data:image/png;base64,${makePng(4, 4).toString('base64')}`;
  const { fake, gateway } = await openProxied(t, server.url, {
    more: atOnce,
    receive: () => Promise.resolve([{ note: '', image: { type: 'image_url', image_url: { url } } }]),
  });
  const { dm } = fake.places;
  const file = { kind: 'image', name: 'dot.png', mime: 'image/png', bytes: makePng(4, 4) } as const;
  await fake.write({ in: dm, text: 'what is it?', file });
  await until(() => fake.shown(dm).length === 1);
  const content = server.requests[0]?.body.messages.at(-1)?.content;
  assert.ok(Array.isArray(content));
  assert.deepEqual(
    content.map(({ type }: { readonly type: string }) => type),
    ['text', 'image_url'],
  );
  assert.equal((await storedIn(gateway)).said.length, 2);
});

for (const [url, told] of [
  ['mailto:someone', /^gateway\.proxy_url \(GATEWAY_PROXY_URL\) is no address of an API server\.$/],
  ['192.168.1.100:8642', /is no address of an API server\.$/],
  ['http://me:hunter2@127.0.0.1:8642', /^((?!hunter2).)*GATEWAY_PROXY_KEY\.$/],
  ['http://127.0.0.1:8642/?key=hunter2', /^((?!hunter2).)* is no plain address: .*$/],
] as const) {
  test(`${url} keeps the gateway from starting, and it says why`, async (t) => {
    await assert.rejects(openProxied(t, url), (error) => error instanceof UserError && told.test(error.message));
  });
}

test('a key without an address is told of, without the key; the model of this machine answers then', async (t) => {
  const program = await placeFor(t, undefined, '{}\n', { env: { GATEWAY_PROXY_KEY: key } }).open();
  t.after(() => program.close());
  const warning = proxyWarning(program.options) ?? '';
  assert.match(warning, /^GATEWAY_PROXY_KEY is set but no GATEWAY_PROXY_URL/);
  assert.ok(!warning.includes(key));
  assert.equal(proxyRoute(program.options), undefined);
});
