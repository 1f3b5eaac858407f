/** Ctrl+C while a plug-in is brought. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { findProgram } from '../../src/cli/find-program.ts';
import { startNpmRegistry } from '../fakes/npm-registry.ts';
import { makePlace, start } from './hermes-process.ts';

const skip =
  process.platform !== 'linux' || findProgram('npm', process.env) === undefined ? 'needs npm and /proc' : false;

test('Ctrl+C ends an installation from npm and npm with it, and leaves nothing', { skip }, async (t) => {
  const about = { keywords: ['hermes-plugin'], hermes: { plugin: './index.js' } };
  await using registry = await startNpmRegistry({ name: 'notes', version: '1.0.0', about, tarball: { hang: true } });
  const place = makePlace(t);
  const env = { npm_config_registry: registry.url, npm_config_cache: join(place.work, 'cache') };
  const running = start(place, ['plugins', 'install', 'npm:notes'], { env });
  t.after(() => running.child.kill('SIGKILL'));
  while (!registry.requests.some(({ path }) => path.endsWith('.tgz'))) await delay(50);
  assert.equal(processesIn(place.home).length, 1);
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;
  assert.equal(code, 1);
  assert.match(stderr, /Stopped\. Nothing was changed\./);
  assert.deepEqual(readdirSync(join(place.home, 'plugins')), ['.install.lock']);
  while (processesIn(place.home).length > 0) await delay(50);
});

test('Ctrl+C ends an installation from a repository and git with it, and leaves nothing', { skip }, async (t) => {
  const asked = Promise.withResolvers<void>();
  // Never answers.
  const server = createServer(() => asked.resolve()).listen(0, '127.0.0.1');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const place = makePlace(t);
  const running = start(place, ['plugins', 'install', `http://127.0.0.1:${port}/notes.git`]);
  t.after(() => running.child.kill('SIGKILL'));
  await Promise.race([asked.promise, running.ended]);
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;
  assert.equal(code, 1, stderr);
  assert.match(stderr, /Stopped\. Nothing was changed\./);
  assert.deepEqual(readdirSync(join(place.home, 'plugins')), ['.install.lock']);
  while (processesIn(place.home).length > 0) await delay(50);
});

/** Those that work below a folder. */
function processesIn(folder: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}
