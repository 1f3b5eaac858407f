/** The proxy that lends the owner's login: asked as a client of OpenAI asks, before a provider that takes its own keys only. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as ask, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { loadEnvironment } from '../../src/config/dotenv.ts';
import { loadConfig } from '../../src/config/load.ts';
import { startProxy } from '../../src/http/proxy/start-proxy.ts';
import { findUpstream } from '../../src/http/proxy/upstreams.ts';
import { errorMessage, UserError } from '../../src/lib/errors.ts';
import { type Log, noLog } from '../../src/lib/log.ts';
import { openForwarding } from '../../src/providers/forwarding.ts';
import { openModelAccess } from '../../src/runtime/model-access.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { type JsonRequest, type Routes, startJsonServer } from '../fakes/json-server.ts';

const token = 'local-0123456789abcdef';
const bearer = { authorization: `Bearer ${token}` };
const [first, second] = ['xai-access-token-of-one-0001', 'xai-access-token-of-two-0002'];

interface PlaceOptions {
  readonly upstream: string;
  readonly logins?: readonly string[];
  readonly silenceMs?: number;
  readonly token?: string;
}

async function placeWith(t: TestContext, { upstream, logins = [first], silenceMs, token: key = token }: PlaceOptions) {
  const place = temporaryHome(t);
  place.write('.env', `HERMES_PROXY_TOKEN=${key}\n`);
  const pool = logins.map((access_token, priority) => ({
    id: `login${priority}`,
    label: `login ${priority}`,
    auth_type: 'oauth',
    priority,
    source: 'manual:device_code',
    access_token,
  }));
  place.write('auth.json', JSON.stringify({ version: 1, credential_pool: { 'xai-oauth': pool } }));
  const shell = { ...place.env, HERMES_XAI_BASE_URL: `${upstream}/v1` };
  const { env } = loadEnvironment(place.home, shell);
  const config = await loadConfig({ home: place.home, env });
  const lines: string[] = [];
  const write = (line: string, error?: unknown): void =>
    void lines.push(`${line} ${error === undefined ? '' : errorMessage(error)}`);
  const log: Log = { ...noLog, debug: write, info: write, warning: write, error: write, named: () => log };
  const models = await openModelAccess({ home: place.home, env, config, log });
  t.after(() => models.close());
  const xai = findUpstream('xai');
  assert.ok(xai);
  const server = await startProxy({
    home: place.home,
    config,
    env,
    log,
    host: '127.0.0.1',
    port: 0,
    upstream: xai,
    forwarding: await openForwarding(xai.provider, models.sources),
    isSignedIn: () => true,
    ...(silenceMs === undefined ? {} : { deadlines: { silenceMs } }),
  });
  t.after(() => server.stop({ drainMs: 0 }));
  return { ...place, url: server.url, lines };
}

async function providerWith(t: TestContext, routes: Routes) {
  const provider = await startJsonServer(routes);
  t.after(() => provider[Symbol.asyncDispose]());
  return provider;
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code;
}

const chat = (url: string, headers: Record<string, string> = bearer): Promise<Response> =>
  fetch(`${url}/v1/chat/completions?beta=1`, { method: 'POST', body: '{"model":"grok"}', headers });

test('a request reaches the provider with the credential of the owner and without anything of the client’s', async (t) => {
  const provider = await providerWith(t, {
    'POST /v1/chat/completions': { headers: { 'x-request-id': 'r1', 'set-cookie': 'a=b' }, body: { id: 'answer' } },
  });
  const { url, lines } = await placeWith(t, { upstream: provider.url });
  const answer = await chat(url, { ...bearer, 'x-api-key': 'client-key', cookie: 'session=1', 'x-title': 'App' });
  assert.deepEqual([answer.status, await answer.json()], [200, { id: 'answer' }]);
  assert.equal(answer.headers.get('x-request-id'), 'r1');
  assert.equal(answer.headers.get('set-cookie'), null);
  const [asked] = provider.requests;
  assert.deepEqual([asked?.path, asked?.body], ['/v1/chat/completions?beta=1', '{"model":"grok"}']);
  assert.equal(asked?.headers.authorization, `Bearer ${first}`);
  assert.deepEqual(
    [asked?.headers['x-title'], asked?.headers['x-api-key'], asked?.headers.cookie],
    ['App', undefined, undefined],
  );
  assert.doesNotMatch(lines.join('\n'), new RegExp(`${first}|${token}`));
});

test('without the local key, from another page and for other paths nothing leaves; health is for everybody', async (t) => {
  const provider = await providerWith(t, {});
  const { url } = await placeWith(t, { upstream: provider.url });
  for (const headers of [{}, { authorization: 'Bearer any' }, { authorization: `Bearer ${first}` }]) {
    assert.equal((await chat(url, headers)).status, 401);
  }
  assert.equal((await chat(url, { ...bearer, origin: 'https://evil.test' })).status, 403);
  for (const path of ['files', 'models/../files', 'chat%2Fcompletions', '', 'models/']) {
    const answer = await fetch(`${url}/v1/${path}`, { headers: bearer });
    assert.deepEqual([answer.status, await codeOf(answer)], [404, 'path_not_allowed'], path);
  }
  assert.equal((await fetch(`${url}/p/other/v1/models`, { headers: bearer })).status, 404);
  const health = await fetch(`${url}/health`);
  assert.deepEqual(await health.json(), { status: 'ok', upstream: 'xAI Grok OAuth', authenticated: true });
  assert.deepEqual(provider.requests, []);
});

test('a body of more than ten million bytes is refused, and one below it arrives whole', async (t) => {
  const provider = await providerWith(t, { 'POST /v1/embeddings': { body: {} } });
  const { url } = await placeWith(t, { upstream: provider.url });
  const send = (body: string): Promise<Response> =>
    fetch(`${url}/v1/embeddings`, { method: 'POST', body, headers: bearer });
  assert.equal((await send('x'.repeat(10_000_001))).status, 413);
  assert.equal((await send('x'.repeat(9_999_999))).status, 200);
  assert.deepEqual(
    provider.requests.map(({ body }) => body.length),
    [9_999_999],
  );
});

for (const status of [401, 429]) {
  test(`a login that is refused with ${status} makes place for another one; the client sees only the answer`, async (t) => {
    const refuseFirst = ({ headers }: JsonRequest) =>
      headers.authorization === `Bearer ${first}`
        ? { status, body: { error: { message: `no ${first}` } } }
        : { body: { data: [] } };
    const provider = await providerWith(t, { 'GET /v1/models': refuseFirst });
    const { url, lines } = await placeWith(t, { upstream: provider.url, logins: [first, second] });
    const answer = await fetch(`${url}/v1/models`, { headers: bearer });
    assert.deepEqual([answer.status, await answer.json()], [200, { data: [] }]);
    assert.equal(provider.requests.at(-1)?.headers.authorization, `Bearer ${second}`);
    assert.doesNotMatch(lines.join('\n'), /xai-access-token/);
  });
}

test('where no other login is left, the refusal itself is the answer', async (t) => {
  const provider = await providerWith(t, {
    'GET /v1/models': {
      status: 429,
      headers: { 'retry-after': '90' },
      body: { error: { message: `slow down, ${first}` } },
    },
  });
  const { url } = await placeWith(t, { upstream: provider.url });
  const answer = await fetch(`${url}/v1/models`, { headers: bearer });
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '90']);
  assert.deepEqual(await answer.json(), { error: { message: 'slow down, ***' } });
});

test('a redirect is handed back and not followed', async (t) => {
  const elsewhere = await providerWith(t, {});
  const provider = await providerWith(t, {
    'GET /v1/models': { status: 302, headers: { location: `${elsewhere.url}/v1/models` } },
  });
  const { url } = await placeWith(t, { upstream: provider.url });
  const answer = await fetch(`${url}/v1/models`, { headers: bearer, redirect: 'manual' });
  assert.equal(answer.status, 302);
  assert.deepEqual(elsewhere.requests, []);
});

test('a provider that is not there is 502, one that says nothing 504', async (t) => {
  const provider = await providerWith(t, { 'GET /v1/models': { hang: true } });
  const silent = await placeWith(t, { upstream: provider.url, silenceMs: 50 });
  const late = await fetch(`${silent.url}/v1/models`, { headers: bearer });
  assert.deepEqual([late.status, await codeOf(late)], [504, 'upstream_timeout']);
  const gone = await startJsonServer();
  await gone[Symbol.asyncDispose]();
  const { url } = await placeWith(t, { upstream: gone.url });
  const answer = await fetch(`${url}/v1/models`, { headers: bearer });
  assert.deepEqual([answer.status, await codeOf(answer)], [502, 'upstream_unreachable']);
});

interface StreamingProvider {
  readonly url: string;
  /** The answer that is open. */
  readonly opened: Promise<ServerResponse>;
}

async function streamingProvider(t: TestContext): Promise<StreamingProvider> {
  const opened = Promise.withResolvers<ServerResponse>();
  const server = createServer((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.write('data: one\n\n');
    opened.resolve(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, opened: opened.promise };
}

test('a stream arrives piece by piece, and a client that leaves ends it at the provider', async (t) => {
  const provider = await streamingProvider(t);
  const { url } = await placeWith(t, { upstream: provider.url });
  const answer = await chat(url);
  const reader = answer.body?.getReader();
  assert.ok(reader);
  const text = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
  assert.equal(await text(), 'data: one\n\n');
  const upstream = await provider.opened;
  upstream.write('data: two\n\n');
  assert.equal(await text(), 'data: two\n\n');
  const closed = once(upstream, 'close');
  await reader.cancel();
  await closed;
});

test('an answer that the provider breaks off is broken off for the client too, not ended as if it were whole', async (t) => {
  const provider = await streamingProvider(t);
  const { url } = await placeWith(t, { upstream: provider.url });
  const asking = ask(`${url}/v1/chat/completions`, { method: 'POST', headers: bearer }).end('{}');
  const [answer] = (await once(asking, 'response')) as [AsyncIterable<Buffer>];
  const read = async (): Promise<void> => {
    for await (const _chunk of answer) (await provider.opened).destroy();
  };
  await assert.rejects(read(), { code: 'ECONNRESET' });
});

test('the proxy does not start with a key that could be guessed', async (t) => {
  await assert.rejects(placeWith(t, { upstream: 'http://127.0.0.1:9', token: 'short' }), UserError);
});
