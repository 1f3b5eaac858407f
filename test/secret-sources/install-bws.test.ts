/** The program of Bitwarden: downloaded once, checked, and whole or not there. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { ZipFile } from 'yazl';
import { installBws } from '../../src/secret-sources/install-bws.ts';
import { type JsonAnswer, startJsonServer } from '../fakes/json-server.ts';
import { startProxy } from '../fakes/proxy-server.ts';

const sums = 'bws-sha256-checksums-2.0.0.txt';
const { signal } = new AbortController();
const archives = [
  'macos-universal',
  ...['x86_64', 'aarch64'].flatMap((arch) => [
    `${arch}-unknown-linux-gnu`,
    `${arch}-unknown-linux-musl`,
    `${arch}-pc-windows-msvc`,
  ]),
].map((system) => `bws-${system}-2.0.0.zip`);

function homeOf(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'hermes-bws-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

async function zipOf(name: string, text: string): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('read me'), 'README.md');
  zip.addBuffer(Buffer.from(text), name);
  zip.end();
  return await buffer(zip.outputStream);
}

/** A release for every system, all with the same archive; the files lie behind a redirect, as those of GitHub do. */
function release(body: Buffer, sum = createHash('sha256').update(body).digest('hex')): Record<string, JsonAnswer> {
  const lines = archives.map((name) => `${sum}  ${name}\n`).join('');
  const files: Record<string, JsonAnswer> = { [`GET /v2/${sums}`]: { body: lines } };
  for (const name of archives) {
    files[`GET /v2/${name}`] = { status: 302, headers: { location: `/files/${name}` } };
    files[`GET /files/${name}`] = { body };
  }
  return files;
}

test('the program comes from its release, for its owner to run, and an older one is replaced', async (t) => {
  const homePath = homeOf(t);
  await using server = await startJsonServer(release(await zipOf('bws', '#!/bin/sh\necho one\n')));
  const options = { homePath, env: {}, signal, address: `${server.url}/v2` };
  const path = await installBws(options);
  assert.equal(path, join(homePath, 'bin', 'bws'));
  assert.equal(statSync(path).mode & 0o777, 0o700);
  server.answer(release(await zipOf('folder/bws', 'two')));
  await installBws(options);
  assert.equal(readFileSync(path, 'utf8'), 'two');
  assert.deepEqual(readdirSync(join(homePath, 'bin')), ['bws']);
});

test('what is not what its checksum says, or is not there, leaves the program as it was', async (t) => {
  const homePath = homeOf(t);
  const good = await zipOf('bws', 'good');
  await using server = await startJsonServer(release(good));
  const options = { homePath, env: {}, signal, address: `${server.url}/v2` };
  const path = await installBws(options);
  const rejects = async (routes: Record<string, JsonAnswer>, why: RegExp): Promise<void> => {
    server.answer(routes);
    await assert.rejects(installBws(options), why);
    assert.equal(readFileSync(path, 'utf8'), 'good');
  };
  await rejects(release(good, '0'.repeat(64)), /not what its checksum says/);
  await rejects({ ...release(good), [`GET /v2/${sums}`]: { body: 'nothing of it' } }, /no checksum/);
  await rejects(release(await zipOf('other', 'x')), /no bws in the release/);
  await rejects({}, /status 404/);
  await rejects({ [`GET /v2/${sums}`]: { status: 302, headers: { location: `/v2/${sums}` } } }, /too often/);
});

test('the proxies of the environment are used', async (t) => {
  await using server = await startJsonServer(release(await zipOf('bws', 'one')));
  await using proxy = await startProxy(Number(new URL(server.url).port));
  const env = { HTTP_PROXY: proxy.url };
  await installBws({ homePath: homeOf(t), env, signal, address: 'http://releases.test/v2' });
  assert.equal(proxy.asked[0], `GET http://releases.test/v2/${sums}`);
  assert.equal(proxy.asked.length, 3);
});

test('a download that never comes ends with its signal', async (t) => {
  const homePath = homeOf(t);
  await using server = await startJsonServer({ [`GET /v2/${sums}`]: { hang: true } });
  const options = { homePath, env: {}, signal: AbortSignal.timeout(50), address: `${server.url}/v2` };
  await assert.rejects(installBws(options), { kind: 'timeout' });
  assert.ok(!existsSync(join(homePath, 'bin')));
});
