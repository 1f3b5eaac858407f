/** Servers over HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonAnswer, type JsonRequest, startJsonServer } from '../fakes/json-server.ts';
import { usualWaits } from '../../src/mcp/waits.ts';
import { openServers } from './support.ts';

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

/** Streamable HTTP with answers as plain JSON; a session that is not `session()` is unknown. */
function answerTo(request: JsonRequest, session: () => string): JsonAnswer {
  const { id, method, params } = JSON.parse(request.body) as Asked;
  const known = request.headers['mcp-session-id'];
  if (method !== 'initialize' && known !== session()) return { status: 404, body: { error: 'no such session' } };
  if (id === undefined) return { status: 202, body: '' };
  const results: Record<string, unknown> = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'http', version: '1' },
    },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'over HTTP' }] },
  };
  return {
    headers: method === 'initialize' ? { 'mcp-session-id': session() } : {},
    body: { jsonrpc: '2.0', id, result: results[method] ?? {} },
  };
}

test('a server over HTTP gets the headers of its entry, and a session that it forgot is begun anew once', async (t) => {
  let session = 'one';
  await using server = await startJsonServer({
    'GET /mcp': { status: 405 },
    'POST /mcp': (request) => answerTo(request, () => session),
    'DELETE /mcp': { status: 405 },
  });
  const entry = { url: `${server.url}/mcp`, headers: { authorization: 'Bearer ${SECRET_KEY}' } };
  const opened = await openServers(t, { s: entry });
  assert.deepEqual(await opened.ask('mcp__s__echo'), { result: 'over HTTP' });
  const posts = server.requests.filter(({ method }) => method === 'POST');
  assert.ok(posts.every(({ headers }) => headers['authorization'] === 'Bearer sesame'));
  session = 'two';
  assert.deepEqual(await opened.ask('mcp__s__echo'), { result: 'over HTTP' });
});

test('a page for people is told from a server, and an address that is none from one', async (t) => {
  await using server = await startJsonServer({
    'GET /': { headers: { 'content-type': 'text/html' }, body: '<h1>Hi</h1>' },
  });
  const opened = await openServers(t, { page: { url: `${server.url}/` }, odd: { url: '${MISSING}/mcp' } });
  const [page, odd] = opened.servers.list();
  assert.match(page?.problem ?? '', /^mcp_servers\.page\.url answers with a web page/);
  assert.match(odd?.problem ?? '', /^mcp_servers\.odd\.url must be http\(s\):\/\/host\/…; it is \$\{MISSING\}\/mcp/);
});

test('an address that leads on within its own server is followed, and one that leads elsewhere gets nothing', async (t) => {
  await using elsewhere = await startJsonServer({ 'POST /mcp': (request) => answerTo(request, () => 'one') });
  await using server = await startJsonServer({
    'GET /mcp': { status: 307, headers: { location: '/mcp/' } },
    'POST /mcp': { status: 307, headers: { location: '/mcp/' } },
    'GET /mcp/': { status: 405 },
    'POST /mcp/': (request) => answerTo(request, () => 'one'),
    'POST /away': { status: 307, headers: { location: `${elsewhere.url}/mcp` } },
    'DELETE /mcp': { status: 405 },
  });
  const headers = { 'x-key': '${SECRET_KEY}' };
  const entries = { near: { url: `${server.url}/mcp`, headers }, far: { url: `${server.url}/away`, headers } };
  const opened = await openServers(t, entries, { waits: { ...usualWaits, retry: [5] } });
  assert.deepEqual(await opened.ask('mcp__near__echo'), { result: 'over HTTP' });
  const called = server.requests.filter(({ method, path }) => method === 'POST' && path === '/mcp/');
  assert.ok(called.length > 2 && called.every(({ headers: { 'x-key': key } }) => key === 'sesame'));
  assert.match(opened.servers.list()[1]?.problem ?? '', /Redirect to http:.*\/mcp not followed; use that URL/);
  assert.equal(elsewhere.requests.length, 0);
});

test('with skip_preflight a page for people is no reason not to connect', async (t) => {
  await using server = await startJsonServer({
    'GET /mcp': { headers: { 'content-type': 'text/html' }, body: '<h1>Hi</h1>' },
    'POST /mcp': (request) => answerTo(request, () => 'one'),
    'DELETE /mcp': { status: 405 },
  });
  const url = `${server.url}/mcp`;
  const opened = await openServers(t, { looks: { url }, skips: { url, skip_preflight: true } });
  assert.deepEqual(
    opened.servers.list().map(({ state }) => state),
    ['failed', 'connected'],
  );
  assert.deepEqual(await opened.ask('mcp__skips__echo'), { result: 'over HTTP' });
});

test('a certificate that is not there is told with the name of its server', async (t) => {
  const opened = await openServers(t, { s: { url: 'https://a.example/mcp', client_cert: '/nowhere/cert.pem' } });
  assert.match(
    opened.servers.list()[0]?.problem ?? '',
    /^mcp_servers\.s: the certificate \/nowhere\/cert\.pem cannot be read/,
  );
});
