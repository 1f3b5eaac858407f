/** Requests beside those to models: logins, lists of models, facts about them. Through proxies, and over sockets. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createWire } from '../../src/credentials/oauth/wire.ts';
import { fetchOver } from '../../src/lib/fetch-over.ts';
import { shownHost, socketAddress } from '../../src/lib/socket-address.ts';
import { getJson, getText } from '../../src/models/knowledge/get-json.ts';
import { createDownload } from '../../src/skill-hub/download.ts';
import { getOutbound } from '../../src/tools/web/outbound.ts';
import { startJsonServer } from '../fakes/json-server.ts';
import { startProxy } from '../fakes/proxy-server.ts';
import { startSocks } from '../fakes/socks-server.ts';
import { ask, askInVain, protocolAt } from '../llm/protocols/ask.ts';
import { startModelServer } from '../fakes/model-server.ts';

const never = () => new AbortController().signal;

test('logins, lists of models, pages and skills are fetched through the proxy', async () => {
  await using server = await startJsonServer({
    'POST /token': { body: { access_token: 'a' } },
    'GET /v1/models': { body: { data: [] } },
    'GET /page': { body: { words: 'of a page' } },
  });
  await using proxy = await startProxy(Number(new URL(server.url).port));
  const proxies = { http: proxy.url };
  const fetch = fetchOver({ proxies });
  const logins = {
    trace: false,
    nousPortal: undefined,
    nousMinKeySeconds: undefined,
    seconds: () => undefined,
    clientId: () => undefined,
  };
  const wire = createWire('Test', { variables: logins, fetch });
  const answer = await wire.postJson('http://login.test/token', { code: 'c' }, { signal: never() });
  assert.deepEqual(answer, { access_token: 'a' });
  assert.deepEqual(await getJson('http://models.test/v1/models', { timeoutMs: 5000, fetch }), { data: [] });
  const page = await getOutbound('http://pages.test/page', { signal: never(), proxies });
  assert.equal(page.status, 200);
  const download = createDownload({ proxies });
  const skill = await download('http://skills.test/page', { maxBytes: 1000, signal: never() });
  assert.match(skill.body.toString(), /of a page/);
  assert.deepEqual(
    proxy.asked.map((line) => /(?:login|models|pages|skills)\.test/.exec(line)?.[0]),
    ['login.test', 'models.test', 'pages.test', 'skills.test'],
  );
});

test('pages and skills are fetched through a SOCKS proxy too', async () => {
  await using server = await startJsonServer({ 'GET /page': { body: { words: 'of a page' } } });
  await using socks = await startSocks(Number(new URL(server.url).port));
  const proxies = { http: socks.url };
  assert.equal((await getOutbound('http://pages.test/page', { signal: never(), proxies })).status, 200);
  const skill = await createDownload({ proxies })('http://skills.test/page', { maxBytes: 1000, signal: never() });
  assert.match(skill.body.toString(), /of a page/);
  assert.deepEqual(socks.asked, ['pages.test:80', 'skills.test:80']);
});

test('what may not be asked directly may not be asked through a proxy either', async () => {
  await using proxy = await startProxy(9);
  const proxies = { http: proxy.url };
  const lookup = (_name: string, _options: unknown, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: '10.1.2.3', family: 4 }]);
  const inside = { proxies, lookup: lookup as never };
  await assert.rejects(getOutbound('http://site.test/', { signal: never(), ...inside }), /not read|Nothing was read/);
  await assert.rejects(
    createDownload(inside)('http://site.test/', { maxBytes: 9, signal: never() }),
    /private network/,
  );
  for (const address of ['http://169.254.169.254/', 'http://10.0.0.1/', 'http://localhost/']) {
    await assert.rejects(getOutbound(address, { signal: never(), proxies }), /Nothing was read/);
  }
  assert.deepEqual(proxy.asked, []);
});

test('a redirect is an error or returned, as asked for, and never followed; an abort ends a request', async () => {
  await using server = await startJsonServer({ 'GET /away': { status: 302, headers: { location: '/there' } } });
  const fetch = fetchOver({});
  assert.equal((await fetch(`${server.url}/away`, { redirect: 'manual' })).status, 302);
  await assert.rejects(fetch(`${server.url}/away`, {}), /redirects/);
  assert.equal(server.requests.length, 2);
  const stopped = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(fetch(`${server.url}/away`, { signal: stopped }), /stopped/);
});

test('a packed answer is unpacked, and one that is cut or damaged is an error', async (t) => {
  const packed = gzipSync('word '.repeat(10_000));
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    if (request.url === '/cut') response.end(packed.subarray(0, packed.length / 2));
    else response.end(request.url === '/damaged' ? Buffer.from('no gzip') : packed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch = fetchOver({});
  assert.equal(await (await fetch(url, {})).text(), 'word '.repeat(10_000));
  for (const path of ['/cut', '/damaged']) await assert.rejects(async () => (await fetch(url + path, {})).text(), path);
  // Nobody reads what is longer than allowed.
  assert.equal(await getText(url, { timeoutMs: 5000, maxBytes: 100, fetch }), undefined);
});

/** The model server of a test, listening on a socket. */
async function behindSocket(t: TestContext, port: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes socket '));
  const path = join(folder, 'llama.sock');
  const server = createServer((incoming, outgoing) => {
    const target = `http://127.0.0.1:${port}${incoming.url ?? ''}`;
    void (async () => {
      const pieces: Uint8Array[] = [];
      for await (const piece of incoming) pieces.push(piece as Uint8Array);
      const body = pieces.length === 0 ? {} : { body: Buffer.concat(pieces) };
      const answer = await fetch(target, { method: incoming.method ?? 'GET', ...body });
      outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      outgoing.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return path;
}

const onUnix = process.platform === 'win32' ? { skip: 'no Unix sockets' } : {};

test('a server on a Unix socket is asked like any other, and named by its path', onUnix, async (t) => {
  await using server = await startModelServer({ respond: () => ({ text: 'from the socket' }) });
  const path = await behindSocket(t, server.port);
  const baseUrl = socketAddress(`unix://${path}:/v1`) ?? '';
  assert.equal((await ask(protocolAt(baseUrl))).text, 'from the socket');
  assert.equal((await ask(protocolAt(baseUrl), { stream: false })).text, 'from the socket');
  const { error } = await askInVain(protocolAt('http+unix://%2Fnowhere%2Fa.sock/v1'));
  assert.equal(error.kind, 'network');
  assert.match(error.message, /\(\/nowhere\/a\.sock\)/);
});

test('both ways to write a socket are understood, and nothing else is taken for one', () => {
  const path = 'http+unix://%2Frun%2Fllama.sock';
  const written: readonly (readonly [string, string | undefined])[] = [
    ['unix:///run/llama.sock:/v1', `${path}/v1`],
    ['unix:/run/llama.sock:/v1', `${path}/v1`],
    ['unix:///run/llama.sock', path],
    ['http+unix://%2Frun%2Fllama.sock/v1', `${path}/v1`],
    ['unix://run/llama.sock', undefined],
    ['http+unix://run/v1', undefined],
    ['http://run/unix:///x', undefined],
    ['', undefined],
  ];
  for (const [address, canonical] of written) assert.equal(socketAddress(address), canonical, address);
  assert.equal(shownHost(new URL(`${path}/v1`)), '/run/llama.sock');
  assert.equal(shownHost(new URL('http://a.test:8/')), 'a.test:8');
});
