/** What a listener does with requests that it should not take. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { UserError } from '../../src/lib/errors.ts';
import { type Log, noLog } from '../../src/lib/log.ts';
import { jsonAnswer } from '../../src/http/answers.ts';
import type { Route } from '../../src/http/routes.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { dial, echo, head, key, startListener } from './listener.ts';

const bearer = { authorization: `Bearer ${key}` };

async function send(url: string, body: RequestInit['body'], headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${url}/echo`, {
    method: 'POST',
    body,
    headers: { ...bearer, ...headers },
    duplex: 'half',
  } as RequestInit);
}

async function codeOf(response: Response): Promise<unknown> {
  const body = (await response.json()) as { error: { code: unknown } };
  return body.error.code;
}

test('without a key nothing is listened to that asks for one, nor anything beyond this machine', async () => {
  const options = { name: 'Test', port: 0, groups: [echo], log: noLog };
  await assert.rejects(startHttpServer({ ...options, host: '127.0.0.1' }), UserError);
  const open = { ...echo, routes: echo.routes.filter(({ access }) => access === 'everybody') };
  await assert.rejects(startHttpServer({ ...options, groups: [open], host: '0.0.0.0' }), UserError);
  await assert.rejects(
    startHttpServer({ ...options, host: '0.0.0.0', key: { current: async () => undefined } }),
    UserError,
  );
});

test('a port that is taken is told with its code', async (t) => {
  const { port } = await startListener(t);
  await assert.rejects(startListener(t, { port }), (error) => {
    assert.ok(error instanceof UserError && error.cause instanceof Error && 'code' in error.cause);
    assert.equal(error.cause.code, 'EADDRINUSE');
    return true;
  });
});

test('every answer has the headers that keep browsers from using it', async (t) => {
  const { url } = await startListener(t);
  for (const path of ['/open', '/nowhere', '/echo']) {
    const { headers } = await fetch(url + path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'", path);
  }
});

test('a wrong key, half a key and another scheme let nobody in; a key that changes counts at once', async (t) => {
  let current: string | undefined = key;
  const { url } = await startListener(t, { key: { current: async () => current } });
  for (const authorization of ['', 'Bearer', `Bearer ${key.slice(0, -1)}`, `Bearer ${key}x`, `Basic ${key}`, key]) {
    assert.equal((await send(url, '{}', { authorization })).status, 401, authorization);
  }
  assert.equal((await send(url, '{}')).status, 200);
  current = 'another-0123456789';
  assert.equal((await send(url, '{}')).status, 401);
  current = undefined;
  assert.equal((await send(url, '{}')).status, 401);
});

test('a key may be of any letters', async (t) => {
  const named = 'schlüssel-0123456789';
  const { port } = await startListener(t, { key: { current: async () => named } });
  const line = await dial(t, port);
  const sent = head('POST', '/echo', { authorization: `Bearer ${named}`, 'content-length': '2', connection: 'close' });
  line.write(Buffer.from(`${sent}{}`, 'utf8'));
  assert.match(await line.closed, /^HTTP\/1\.1 200 /);
});

test('whoever goes away before the answer is no failure of the server', async (t) => {
  const failures: string[] = [];
  const left = Promise.withResolvers<void>();
  const log: Log = { ...noLog, error: (line) => void failures.push(line), named: () => log, forSession: () => log };
  const entered = Promise.withResolvers<void>();
  const waits: Route = {
    method: 'GET',
    path: '/waits',
    access: 'everybody',
    async handle({ signal }) {
      entered.resolve();
      await once(signal, 'abort');
      left.resolve();
      signal.throwIfAborted();
      return jsonAnswer({});
    },
  };
  const { url } = await startListener(t, { log, groups: [{ ...echo, routes: [...echo.routes, waits] }] });
  const caller = new AbortController();
  const answer = fetch(`${url}/waits`, { signal: caller.signal });
  await entered.promise;
  caller.abort();
  await assert.rejects(answer);
  await left.promise;
  assert.equal((await fetch(`${url}/open`)).status, 200);
  assert.deepEqual(failures, []);
});

test('a body of a hundred gigabytes is answered before it is there, and not read to its end', async (t) => {
  const { port, url } = await startListener(t, { limits: { maxBytes: 100_000 } });
  const line = await dial(t, port);
  line.write(head('POST', '/echo', { 'content-length': '100000000000' }));
  const piece = Buffer.alloc(64_000, 0x20);
  const pour = (): void => {
    while (line.socket.writable && line.socket.write(piece));
  };
  line.socket.on('drain', pour);
  pour();
  assert.match(await line.closed, /^HTTP\/1\.1 413 |^$/);
  assert.equal((await fetch(`${url}/open`)).status, 200);
});

test('a key in the address is refused and never written down', async (t) => {
  const lines: string[] = [];
  const log: Log = {
    debug: (line) => void lines.push(line),
    info: (line) => void lines.push(line),
    warning: (line) => void lines.push(line),
    error: (line) => void lines.push(line),
    named: () => log,
    forSession: () => log,
  };
  const { url } = await startListener(t, { log });
  for (const name of ['key', 'api_key', 'access_token', 'TOKEN']) {
    const refused = await fetch(`${url}/echo?a=1&${name}=${key}`, { method: 'POST', body: '{}', headers: bearer });
    assert.equal(refused.status, 400);
    assert.equal(await codeOf(refused), 'key_in_query');
  }
  await fetch(`${url}/open?x=${key}`);
  assert.ok(lines.length > 0 && !lines.join('\n').includes(key));
});

test('a profile in the address is answered by that one alone, and never by another in its place', async (t) => {
  const { url } = await startListener(t, { profile: 'coder' });
  assert.deepEqual(await (await fetch(`${url}/p/coder/open`)).json(), { open: true });
  for (const profile of ['nope', 'default', 'Coder', 'c%6Fder2']) {
    const response = await fetch(`${url}/p/${profile}/open`);
    assert.equal(response.status, 404, profile);
  }
  const other = await fetch(`${url}/p/nope/echo`, { method: 'POST', body: '{}', headers: bearer });
  assert.deepEqual([other.status, await other.json()], [404, { error: 'Unknown or unconfigured profile' }]);
  assert.equal(
    (await fetch(`${url}/p/nope/echo`, { method: 'POST', body: '{}' })).status,
    401,
    'not told to strangers',
  );
});

test('another name in Host is refused', async (t) => {
  const { port } = await startListener(t);
  for (const host of ['evil.example', 'evil.example:80', '10.0.0.1', 'localhost.evil.example', 'a b', '']) {
    const line = await dial(t, port);
    line.write(head('GET', '/open', { host, connection: 'close' }));
    assert.match(await line.closed, /^HTTP\/1\.1 40[03] /, host);
  }
  for (const host of ['localhost', `127.0.0.1:${port}`, '[::1]:1']) {
    const line = await dial(t, port);
    line.write(head('GET', '/open', { host, connection: 'close' }));
    assert.match(await line.closed, /^HTTP\/1\.1 200 /, host);
  }
});

test('pages may ask when they were allowed to, and no others', async (t) => {
  const closed = await startListener(t);
  const origin = 'https://page.example';
  assert.equal((await fetch(`${closed.url}/open`, { headers: { origin } })).status, 403);
  const { url } = await startListener(t, { corsOrigins: () => [origin] });
  const preflight = await fetch(`${url}/echo`, { method: 'OPTIONS', headers: { origin } });
  assert.equal(preflight.status, 200);
  assert.equal(preflight.headers.get('access-control-max-age'), '600');
  assert.equal(preflight.headers.get('access-control-allow-origin'), origin);
  assert.equal((await fetch(`${url}/open`, { headers: { origin } })).headers.get('vary'), 'Origin');
  assert.equal((await fetch(`${url}/open`, { headers: { origin: 'http://evil' } })).status, 403);
  assert.equal((await fetch(`${url}/open`, { headers: { origin: 'null' } })).status, 403);
});

test('bodies that are too large are refused, also when nobody said how large they are', async (t) => {
  const { url } = await startListener(t, { limits: { maxBytes: 100_000 } });
  const large = JSON.stringify({ text: 'x'.repeat(200_000) });
  const counted = await send(url, large);
  assert.equal(counted.status, 413);
  assert.equal(await codeOf(counted), 'body_too_large');
  const chunked = new ReadableStream({
    start(controller) {
      for (let at = 0; at < large.length; at += 10_000)
        controller.enqueue(new TextEncoder().encode(large.slice(at, at + 10_000)));
      controller.close();
    },
  });
  assert.equal((await send(url, chunked)).status, 413);
  assert.equal((await send(url, JSON.stringify({ text: 'x'.repeat(99_000) }))).status, 200);
});

test('what is no JSON object of whole characters is refused', async (t) => {
  const { url } = await startListener(t);
  for (const [body, code] of [
    ['', 'invalid_json'],
    ['{', 'invalid_json'],
    ['[]', 'invalid_request'],
    ['"text"', 'invalid_request'],
    ['null', 'invalid_request'],
    ['{"a":"\\ud800"}', 'invalid_json'],
    ['{"\\udc00":1}', 'invalid_json'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'invalid_json'],
    [`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'invalid_json'],
  ] as const) {
    const response = await send(url, body);
    assert.equal(response.status, 400, String(body).slice(0, 20));
    assert.equal(await codeOf(response), code, String(body).slice(0, 20));
  }
  assert.deepEqual(await (await send(url, '{"a":"\\ud83d\\ude00"}')).json(), { a: '😀' });
});

test('a body that would unfold is not unfolded', async (t) => {
  const { url } = await startListener(t);
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20));
  const response = await send(url, bomb, { 'content-encoding': 'gzip' });
  assert.equal(response.status, 415);
});

test('a body of a byte now and then is ended, and so are headers that never end', async (t) => {
  const { port, url } = await startListener(t, { limits: { patienceMs: 150, headersMs: 150 } });
  const slow = await dial(t, port);
  slow.write(head('POST', '/echo', { 'content-length': '1000' }));
  const trickle = setInterval(() => slow.write(' '), 20);
  t.after(() => clearInterval(trickle));
  assert.match(await slow.closed, /^HTTP\/1\.1 408 /);
  const mute = await dial(t, port);
  mute.write('GET /open HTTP/1.1\r\nhost: x');
  assert.match(await mute.closed, /^HTTP\/1\.1 408 |^$/);
  assert.equal((await fetch(`${url}/open`)).status, 200);
});

test('what is no HTTP, and lengths that are none, get an answer and an end', async (t) => {
  const { port, url } = await startListener(t);
  for (const text of [
    'hello\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
    head('POST', '/echo', { 'content-length': 'ten' }),
    head('POST', '/echo', { 'content-length': '5', 'transfer-encoding': 'chunked' }),
    head('GET', '/open', { 'x-large': 'x'.repeat(100_000) }),
  ]) {
    const line = await dial(t, port);
    line.write(text);
    assert.match(await line.closed, /^HTTP\/1\.1 4(?:00|31) |^$/);
  }
  assert.equal((await fetch(`${url}/open`)).status, 200);
});

test('a connection that is closed on one side is answered, and ended when half a body is all there is', async (t) => {
  const { port, url } = await startListener(t);
  const whole = await dial(t, port);
  whole.socket.end(`${head('POST', '/echo', { 'content-length': '2' })}{}`);
  assert.match(await whole.closed, /^HTTP\/1\.1 200 /);
  const half = await dial(t, port);
  half.socket.end(`${head('POST', '/echo', { 'content-length': '1000' })}{"a":`);
  assert.match(await half.closed, /^HTTP\/1\.1 400 |^$/);
  const chunked = await dial(t, port);
  chunked.socket.end(`${head('POST', '/echo', { 'transfer-encoding': 'chunked' })}5\r\n{"a`);
  assert.match(await chunked.closed, /^HTTP\/1\.1 400 |^$/);
  assert.equal((await fetch(`${url}/open`)).status, 200);
});

test('connections beyond the bound are not taken, those within it are served', async (t) => {
  const { port, url } = await startListener(t, { limits: { maxConnections: 2 } });
  const held = [await dial(t, port), await dial(t, port)];
  const extra = await dial(t, port);
  await extra.closed;
  for (const line of held) line.socket.destroy();
  await Promise.all(held.map(({ closed }) => closed));
  let status = 0;
  while (status !== 200)
    status = await fetch(`${url}/open`).then(
      (response) => response.status,
      () => 0,
    );
});

test('a server that stops writes what it is about to say, and takes nothing new', async (t) => {
  const gate = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const slow = {
    name: 'slow',
    routes: [
      {
        method: 'GET',
        path: '/slow',
        access: 'everybody',
        async handle() {
          entered.resolve();
          await gate.promise;
          return new Response('done');
        },
      },
    ],
    drain: async () => await gate.promise,
  } as const;
  const server = await startListener(t, { groups: [slow] });
  const answer = fetch(`${server.url}/slow`).then((response) => response.text());
  await entered.promise;
  const stopped = server.stop();
  await assert.rejects(fetch(`${server.url}/slow`));
  gate.resolve();
  assert.equal(await answer, 'done');
  await stopped;
});
