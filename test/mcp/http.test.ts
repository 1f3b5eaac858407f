/** Servers over HTTP. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonAnswer, type JsonRequest, startJsonServer } from '../fakes/json-server.ts';
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

test('a certificate that is not there is told with the name of its server', async (t) => {
  const opened = await openServers(t, { s: { url: 'https://a.example/mcp', client_cert: '/nowhere/cert.pem' } });
  assert.match(
    opened.servers.list()[0]?.problem ?? '',
    /^mcp_servers\.s: the certificate \/nowhere\/cert\.pem cannot be read/,
  );
});
