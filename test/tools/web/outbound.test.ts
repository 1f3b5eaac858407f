/** The way out to the web: where it goes, how far, how long and how much. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { UserError } from '../../../src/lib/errors.ts';
import { getOutbound, type OutboundOptions } from '../../../src/tools/web/outbound.ts';
import { calm, fakeResolver, startPage, startSite } from './site.ts';

function get(url: string, options: Partial<OutboundOptions> = {}) {
  return getOutbound(url, { signal: calm(), allowPrivate: true, ...options });
}

/** Rejected with a message for people that fits. */
function told(pattern: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof UserError, String(error));
    assert.match(error.message, pattern);
    return true;
  };
}

test('an answer comes with its status, headers and unpacked body, and nothing about the user was sent', async (t) => {
  const site = await startSite(t, (request, response) => {
    const packed = request.url === '/br' ? brotliCompressSync('hällo') : gzipSync('hällo');
    response.writeHead(418, { 'content-encoding': request.url === '/br' ? 'br' : 'gzip', 'x-a': 'b' }).end(packed);
  });
  for (const path of ['/gz', '/br']) {
    const answer = await get(`${site.url}${path}`);
    assert.equal(answer.status, 418);
    assert.equal(answer.headers['x-a'], 'b');
    assert.equal(Buffer.from(answer.body).toString(), 'hällo');
    assert.equal(answer.url.href, `${site.url}${path}`);
  }
  assert.deepEqual(Object.keys(site.requests[0]?.headers ?? {}).sort(), [
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
  assert.equal(site.requests[0]?.headers['user-agent'], 'hermes-agent');
  assert.equal(site.requests[0]?.method, 'GET');
});

test('addresses of this machine, its network and metadata services are refused before anything is sent', async (t) => {
  const site = await startPage(t, 'text/plain', 'secret');
  for (const url of [
    site.url,
    `http://localhost:${site.port}/`,
    `http://[::1]:${site.port}/`,
    `http://[::ffff:127.0.0.1]:${site.port}/`,
    `http://2130706433:${site.port}/`,
    `http://0x7f.1:${site.port}/`,
    `http://0:${site.port}/`,
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.google.internal/',
  ])
    await assert.rejects(get(url, { allowPrivate: false }), told(/^Nothing was read from .*(not|never) read\.$/), url);
  for (const url of [
    'ftp://example.org/',
    'file:///etc/passwd',
    'https://me:pw@example.org/',
    'http://',
    'nonsense',
    '',
  ])
    await assert.rejects(get(url), told(/^Nothing was read/), url);
  assert.equal(site.requests.length, 0);
});

test('a login in an address is not repeated in the message', async () => {
  await assert.rejects(get('https://me:hunter2@example.org/'), (error: Error) => !error.message.includes('hunter2'));
});

test('metadata services stay refused when private addresses are allowed', async () => {
  for (const url of [
    'http://169.254.169.254/',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://metadata.google.internal/',
    'http://metadata.goog./',
  ])
    await assert.rejects(get(url), told(/metadata services are never read/), url);
  const { lookup } = fakeResolver(['169.254.169.254']);
  await assert.rejects(get('http://site.example/', { lookup }), told(/metadata services are never read/));
});

test('a name with one private address among public ones is refused', async (t) => {
  const site = await startPage(t, 'text/plain', 'secret');
  for (const found of [['127.0.0.1'], ['1.1.1.1', '10.0.0.1'], ['2606:4700::1111', '::1'], ['::ffff:127.0.0.1']]) {
    const { lookup, asked } = fakeResolver(found);
    const url = `http://site.example:${site.port}/`;
    await assert.rejects(get(url, { lookup, allowPrivate: false }), told(/site\.example.*not read/));
    assert.deepEqual(asked, ['site.example']);
  }
  assert.equal(site.requests.length, 0);
});

test('a name is resolved once, and the connection goes to the address that was checked', async (t) => {
  const site = await startPage(t, 'text/plain', 'here');
  // Were the name resolved again for connecting, it would lead nowhere.
  const { lookup, asked } = fakeResolver(['127.0.0.1'], ['169.254.169.254']);
  const answer = await get(`http://site.example:${site.port}/`, { lookup });
  assert.equal(Buffer.from(answer.body).toString(), 'here');
  assert.deepEqual(asked, ['site.example']);
  assert.equal(site.requests[0]?.headers.host, `site.example:${site.port}`);
});

test('a name that means something else after a redirect is judged anew', async (t) => {
  const site = await startSite(t, (_, response) => response.writeHead(302, { location: '/again' }).end());
  const { lookup, asked } = fakeResolver(['127.0.0.1'], ['169.254.169.254']);
  await assert.rejects(get(`http://site.example:${site.port}/`, { lookup }), told(/never read/));
  assert.equal(asked.length, 2);
  assert.equal(site.requests.length, 1);
});

test('redirects to addresses that must not be asked are refused', async (t) => {
  const targets = [
    'http://169.254.169.254/latest',
    '//metadata.google.internal/',
    'file:///etc/passwd',
    'https://me:pw@example.org/',
    'http://[',
  ];
  const site = await startSite(t, (request, response) => {
    response.writeHead(301, { location: targets[Number(request.url?.slice(1))] }).end();
  });
  for (const [position, target] of targets.entries())
    await assert.rejects(get(`${site.url}/${position}`), told(/it redirects to an address that is not asked/), target);
});

test('a few redirects are followed, endless ones are not', async (t) => {
  const site = await startSite(t, (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('there');
    else response.writeHead(307, { location: `/${left - 1}` }).end('moved');
  });
  const answer = await get(`${site.url}/5`);
  assert.equal(Buffer.from(answer.body).toString(), 'there');
  assert.equal(answer.url.href, `${site.url}/0`);
  await assert.rejects(get(`${site.url}/6`), told(/redirects more than 5 times/));
  await assert.rejects(get(`${site.url}/-1`), told(/redirects more than 5 times/));
});

test('a body longer than the limit is refused: announced, streamed without end, or unpacked', async (t) => {
  let written = 0;
  const site = await startSite(t, (request, response) => {
    if (request.url === '/announced') return response.writeHead(200, { 'content-length': 10_000_000 }).end('x');
    if (request.url === '/bomb') {
      return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(20_000_000)));
    }
    if (request.url === '/br') {
      const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
      const bomb = brotliCompressSync(Buffer.alloc(20_000_000), { params });
      return response.writeHead(200, { 'content-encoding': 'br' }).end(bomb);
    }
    if (request.url === '/nothing') response.setHeader('content-encoding', 'gzip');
    // Packed members that unpack to nothing.
    const chunk = request.url === '/nothing' ? Buffer.concat(Array(500).fill(gzipSync(''))) : Buffer.alloc(10_000);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length;
      if (!response.destroyed) response.once('drain', more);
    };
    return more();
  });
  for (const path of ['/announced', '/endless', '/bomb', '/br', '/nothing'])
    await assert.rejects(get(`${site.url}${path}`, { maxBytes: 100_000 }), told(/longer than 100,000 bytes/), path);
  assert.ok(written < 50_000_000);
});

test('exactly as much as the limit is no error', async (t) => {
  const site = await startPage(t, 'text/plain', 'x'.repeat(1_000));
  assert.equal((await get(site.url, { maxBytes: 1_000 })).body.length, 1_000);
  await assert.rejects(get(site.url, { maxBytes: 999 }), told(/longer/));
});

test('a body that breaks off, or is not packed as it says, is an error', async (t) => {
  const site = await startSite(t, (request, response) => {
    const packed = gzipSync('x'.repeat(10_000));
    if (request.url === '/cut') response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, 20));
    else if (request.url === '/lie') response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain');
    else if (request.url === '/odd') response.writeHead(200, { 'content-encoding': 'compress' }).end('plain');
    else {
      response.writeHead(200, { 'content-length': 1_000 }).write('half');
      setImmediate(() => response.destroy());
    }
  });
  for (const path of ['/cut', '/lie', '/odd', '/gone'])
    await assert.rejects(get(`${site.url}${path}`), told(/^Could not read from 127\.0\.0\.1:\d+: .+\.$/), path);
});

test('an answer that never comes, or comes too slowly, ends at the deadline', async (t) => {
  const timers = new Set<NodeJS.Timeout>();
  t.after(() => timers.forEach((timer) => clearInterval(timer)));
  const site = await startSite(t, (request, response) => {
    if (request.url === '/drip') timers.add(setInterval(() => response.write('.'), 5));
  });
  for (const path of ['/hang', '/drip'])
    await assert.rejects(get(`${site.url}${path}`, { timeoutMs: 60 }), told(/no whole answer within 0\.06 seconds/));
  const never = { lookup: () => undefined, timeoutMs: 20 };
  await assert.rejects(get('http://site.example/', never), told(/no whole answer/));
});

test('an interrupt ends a request with its own reason, at once', async (t) => {
  const stop = new AbortController();
  const site = await startSite(t, (_, response) => {
    response.write('first');
    setImmediate(() => stop.abort(new Error('enough')));
  });
  await assert.rejects(get(site.url, { signal: stop.signal }), { message: 'enough' });
  await assert.rejects(get(site.url, { signal: stop.signal }), { message: 'enough' });
  assert.equal(site.requests.length, 1);
});

test('a name that is unknown or a port where nobody listens is told with the host', async () => {
  const unknown = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
  await assert.rejects(
    get('http://site.example/a?token=secret', { lookup: (_name, _options, done) => done(unknown, '', 0) }),
    told(/^Could not read from site\.example: ENOTFOUND\.$/),
  );
  const { lookup } = fakeResolver([]);
  await assert.rejects(get('http://site.example/', { lookup }), told(/does not resolve/));
  await assert.rejects(get('http://127.0.0.1:1/'), told(/^Could not read from 127\.0\.0\.1:1: ECONNREFUSED\.$/));
});
