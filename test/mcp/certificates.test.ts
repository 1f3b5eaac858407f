/** Servers over HTTPS that nobody knows, and such that want to know who asks. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { usualWaits } from '../../src/mcp/waits.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { openServers } from './support.ts';

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
const options = hasOpenSsl ? {} : { skip: 'openssl is not installed' };

/** A certificate that nobody knows, with its key. */
function certificate(folder: string, name: string, password = '') {
  const [key, file] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '2'];
  const locked = password === '' ? ['-nodes'] : ['-passout', `pass:${password}`];
  execFileSync(openSsl, [...made, ...locked, '-keyout', key, '-out', file, ...subject], { stdio: 'ignore' });
  return { key, file };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { id, method, params } = JSON.parse(body === '' ? '{}' : body);
  const result =
    method === 'initialize'
      ? {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 's', version: '1' },
        }
      : { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
  const status = request.method !== 'POST' ? 405 : id === undefined ? 202 : 200;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(status === 200 ? JSON.stringify({ jsonrpc: '2.0', id, result }) : '');
}

async function place(t: TestContext, client?: string) {
  const folder = temporaryHome(t).home.path;
  const own = certificate(folder, 'server');
  const known = client === undefined ? undefined : certificate(folder, 'client', client);
  const server = createServer(
    {
      key: readFileSync(own.key),
      cert: readFileSync(own.file),
      ...(known === undefined ? {} : { requestCert: true, ca: readFileSync(known.file) }),
    },
    (request, response) => void answer(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const states = async (entries: Readonly<Record<string, object>>) => {
    const written = Object.entries(entries).map(([name, more]) => [name, { url, ...more }] as const);
    const { servers } = await openServers(t, Object.fromEntries(written), { waits: { ...usualWaits, retry: [1] } });
    return servers.list().map(({ name, state, problem = '' }) => `${name} ${state} ${problem}`);
  };
  return { own, known, states };
}

test(
  'a certificate that nobody knows is taken from a file of ssl_verify, or with false, and not otherwise',
  options,
  async (t) => {
    const { own, states } = await place(t);
    const [usual, bundle, off] = await states({
      usual: {},
      bundle: { ssl_verify: own.file },
      off: { ssl_verify: false },
    });
    assert.match(usual ?? '', /^usual failed .*certificate/i);
    assert.deepEqual([bundle, off], ['bundle connected ', 'off connected ']);
  },
);

test(
  'a server that wants to know who asks is shown the certificate of its entry, with the key and its password',
  options,
  async (t) => {
    const { own, known, states } = await place(t, 'sesame-of-a-key');
    assert.ok(known !== undefined);
    const trust = { ssl_verify: own.file };
    const [none, listed, wrong] = await states({
      none: trust,
      listed: { ...trust, client_cert: [known.file, known.key, 'sesame-of-a-key'] },
      wrong: { ...trust, client_cert: [known.file, known.key, 'another-password'] },
    });
    assert.match(none ?? '', /^none failed /);
    assert.equal(listed, 'listed connected ');
    assert.match(wrong ?? '', /^wrong failed /);
    assert.doesNotMatch(wrong ?? '', /another-password/);
  },
);
