/** Downloads: what is asked, what is refused, and who gets the token. */
import assert from 'node:assert/strict';
import type { LookupFunction } from 'node:net';
import { test } from 'node:test';
import { createDownload } from '../../src/skill-hub/download.ts';
import { startJsonServer } from '../fakes/json-server.ts';

const { signal } = new AbortController();
const ask = { maxBytes: 1_000, signal };
const resolvesTo =
  (...addresses: string[]): LookupFunction =>
  (_name, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

test('addresses of this machine and of private networks are refused, however they are written', async () => {
  const download = createDownload();
  for (const host of [
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[::ffff:192.168.0.1]',
    '0x7f.1',
    '2130706433',
  ]) {
    await assert.rejects(download(`http://${host}:1/x`, ask), /private network/, host);
  }
});

test('a name that resolves to a private address is refused, also when another address of it is public', async () => {
  for (const lookup of [resolvesTo('127.0.0.1'), resolvesTo('93.184.215.14', '10.0.0.1'), resolvesTo()]) {
    await assert.rejects(createDownload({ lookup })('http://site.example/x', ask), /private network/);
  }
});

test('a redirect to a private address is refused', async () => {
  await using other = await startJsonServer({ 'GET /x': { body: 'secret' } });
  await using server = await startJsonServer({ 'GET /': { status: 302, headers: { location: `${other.url}/x` } } });
  const download = createDownload({ localHosts: [new URL(server.url).host] });
  await assert.rejects(download(server.url, ask), /private network/);
  assert.deepEqual(other.requests, []);
});

test('the token goes to its host only, and is not taken along by a redirect', async () => {
  await using other = await startJsonServer({ 'GET /x': { body: 'fine' } });
  await using server = await startJsonServer({ 'GET /': { status: 302, headers: { location: `${other.url}/x` } } });
  const [first, second] = [new URL(server.url).host, new URL(other.url).host];
  const authorization = new Map([[first, 'Bearer hidden']]);
  const download = createDownload({ localHosts: [first, second], authorization });
  assert.equal((await download(server.url, ask)).body.toString(), 'fine');
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer hidden');
  assert.equal(other.requests[0]?.headers.authorization, undefined);
});

test('answers that are too large, compressed, endless in redirects or never come are given up', async () => {
  await using server = await startJsonServer({
    'GET /large': { body: 'x'.repeat(1_001) },
    'GET /zip': { body: 'x', headers: { 'content-encoding': 'gzip' } },
    'GET /loop': { status: 302, headers: { location: '/loop' } },
    'GET /never': { hang: true },
    'GET /file': { status: 302, headers: { location: 'file:///etc/passwd' } },
  });
  const localHosts = [new URL(server.url).host];
  const download = createDownload({ localHosts });
  await assert.rejects(download(`${server.url}/large`, ask), /larger than 1000 bytes/);
  await assert.rejects(download(`${server.url}/zip`, ask), /compressed/);
  await assert.rejects(download(`${server.url}/loop`, ask), /too often/);
  const impatient = createDownload({ localHosts, timeoutMs: 300 });
  await assert.rejects(impatient(`${server.url}/never?key=hidden`, ask), (error: Error) => {
    return error.message.includes('longer than') && !error.message.includes('hidden');
  });
  await assert.rejects(download(`${server.url}/file`, ask), /not an http or https address/);
  await assert.rejects(download('https://me:pw@site.example/', ask), (error: Error) => !error.message.includes('pw'));
});
