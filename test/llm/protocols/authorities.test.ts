/** Servers with certificates of one's own authority, and connections over IPv4 alone. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fetchOver } from '../../../src/lib/fetch-over.ts';
import { sseChunk } from '../../fakes/model-steps.ts';
import { startProxy } from '../../fakes/proxy-server.ts';
import { startSocks } from '../../fakes/socks-server.ts';
import { ask, askInVain, protocolAt } from './ask.ts';

/** A variable, so that nobody takes it for a dependency. */
const openSsl: string = 'openssl';

const hasOpenSsl = ((): boolean => {
  try {
    execFileSync(openSsl, ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** A server whose certificate nobody knows; `file` is the certificate. */
async function startSecret(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-tls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,DNS:models.test,IP:127.0.0.1'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync(openSsl, [...made, '-keyout', key, '-out', file, ...subject], { stdio: 'ignore' });
  let requests = 0;
  const server = createServer({ key: readFileSync(key), cert: readFileSync(file) }, (request, response) => {
    requests += 1;
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${sseChunk('m', { content: 'trusted' })}${sseChunk('m', {}, 'stop')}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}/v1`, file, requests: () => requests };
}

const options = hasOpenSsl ? {} : { skip: 'openssl is not installed' };

test('an authority from a file is trusted, and nobody else', options, async (t) => {
  const server = await startSecret(t);
  const { error } = await askInVain(protocolAt(server.url, { network: { trusts: ['/nowhere/at/all.pem'] } }));
  assert.equal(error.kind, 'network');
  assert.match(error.message, /certificate/);
  assert.equal(server.requests(), 0);
  const protocol = protocolAt(server.url, { network: { trusts: [server.file] } });
  assert.equal((await ask(protocol)).text, 'trusted');
  assert.equal((await ask(protocol)).text, 'trusted');
  assert.equal(server.requests(), 2);
});

test('through a proxy the certificate of the server is checked in the same way', options, async (t) => {
  const server = await startSecret(t);
  await using proxy = await startProxy(Number(new URL(server.url).port));
  const proxies = { https: proxy.url };
  const trusting = protocolAt('https://models.test/v1', { network: { proxies, trusts: [server.file] } });
  assert.equal((await ask(trusting)).text, 'trusted');
  assert.equal((await ask(trusting)).text, 'trusted');
  assert.deepEqual(new Set(proxy.asked), new Set(['CONNECT models.test:443']));
  const { error } = await askInVain(protocolAt('https://models.test/v1', { network: { proxies } }));
  assert.match(error.message, /certificate/);
  assert.equal(server.requests(), 2);
});

test(
  'requests that go out together all come through, though the first of them finds out that the authority is needed',
  options,
  async (t) => {
    const server = await startSecret(t);
    const asking = fetchOver({ trusts: [server.file] });
    const answers = await Promise.all(Array.from({ length: 5 }, () => asking(server.url, {})));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    await Promise.all(answers.map((answer) => answer.text()));
  },
);

test('so it is through a SOCKS proxy', options, async (t) => {
  const server = await startSecret(t);
  await using socks = await startSocks(Number(new URL(server.url).port));
  const proxies = { https: socks.url };
  const trusting = protocolAt('https://models.test/v1', { network: { proxies, trusts: [server.file] } });
  assert.equal((await ask(trusting)).text, 'trusted');
  assert.equal((await ask(trusting)).text, 'trusted');
  const { error } = await askInVain(protocolAt('https://models.test/v1', { network: { proxies } }));
  assert.match(error.message, /certificate/);
  assert.equal(server.requests(), 2);
});

test('logins and lists of models trust the same authorities', options, async (t) => {
  const server = await startSecret(t);
  assert.equal((await fetchOver({ trusts: [server.file] })(`${server.url}/models`, {})).status, 200);
  await assert.rejects(fetchOver({})(`${server.url}/models`, {}), /certificate/);
  assert.equal(server.requests(), 1);
});

test('a certificate is not checked where the user said so', options, async (t) => {
  const server = await startSecret(t);
  assert.equal((await ask(protocolAt(server.url, { network: { trusts: 'anybody' } }))).text, 'trusted');
});

test('with IPv4 alone nothing that listens on IPv6 is asked', async (t) => {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const listens = (own: TcpServer, at: number, host: string): Promise<boolean> =>
    new Promise((resolve) => {
      own.once('error', () => resolve(false)).listen(at, host, () => resolve(true));
    });
  if (!(await listens(server, 0, '::1'))) return t.skip('no IPv6 on this machine');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const probe = createTcpServer();
  if (!(await listens(probe, port, '127.0.0.1'))) return t.skip('somebody else has this port of IPv4');
  await new Promise((resolve) => probe.close(resolve));
  const url = `http://localhost:${port}/v1`;
  const { error } = await askInVain(protocolAt(url, { network: { ipv4Only: true } }));
  assert.deepEqual([error.kind, connections], ['network', 0]);
  assert.match(error.message, /ECONNREFUSED/);
});
