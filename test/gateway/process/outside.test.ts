/** What others ask of a gateway that runs, and what it tells its supervisor. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../../fakes/model-server.ts';
import { hermes } from '../../cli/hermes-process.ts';
import { gatewayPlace, until } from './support.ts';

const dm = { chatId: '1001', threadId: null };

test('while a request to drain is there, messages are refused aloud and commands answered; after it all goes on', async (t) => {
  await using model = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
  const place = await gatewayPlace(t, model);
  const file = join(place.home, '.drain_request.json');
  place.write('.drain_request.json', JSON.stringify({ action: 'drain', requested_at: '2020-01-01T00:00:00Z' }));
  const gateway = place.run();
  await place.inState(gateway, 'running');
  await place.telegram.write({ in: dm, text: 'one' });
  await until(() => place.texts().includes('Hello.'), gateway);
  place.write('.drain_request.json', JSON.stringify({ action: 'drain', requested_at: new Date().toISOString() }));
  await place.inState(gateway, 'draining');
  await place.telegram.write({ in: dm, text: 'two' });
  await until(() => place.texts().some((text) => text.includes('not to begin anything new')), gateway);
  await place.telegram.write({ in: dm, text: '/whoami' });
  await until(() => place.texts().some((text) => text.includes('1001')), gateway);
  rmSync(file);
  await place.inState(gateway, 'running');
  await place.telegram.write({ in: dm, text: 'three' });
  await until(() => place.texts().filter((text) => text === 'Hello.').length === 2, gateway);
  assert.equal(model.requests.length, 2);
});

test('systemd is told that the gateway is ready, that it lives, and that it stops, when it asks for that', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model);
  const told = join(place.home, 'told');
  chmodSync(place.write('bin/systemd-notify', `#!/bin/sh\necho "$*" >> '${told}'\n`), 0o755);
  const lines = (): string => (existsSync(told) ? readFileSync(told, 'utf8') : '');
  const gateway = place.run([], {
    PATH: `${place.home}/bin:${place.env['PATH']}`,
    NOTIFY_SOCKET: '/run/nowhere',
    WATCHDOG_USEC: '100000',
  });
  const who = `--pid=${gateway.child.pid}`;
  await until(() => lines().includes(`${who} --ready\n`), gateway);
  await until(() => lines().includes(`${who} WATCHDOG=1\n`), gateway);
  gateway.child.kill('SIGTERM');
  await gateway.ended;
  await until(() => lines().includes(`${who} --stopping\n`));
});

test('a gateway that has nothing but an API server with a key that must not be ends, and is not started again', async (t) => {
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model);
  for (const key of ['short', '']) {
    place.write('.env', `API_SERVER_ENABLED=true\nAPI_SERVER_KEY=${key}\n`);
    const { code, stdout } = await hermes(place, ['gateway', 'run']);
    assert.equal(code, 78, stdout);
    assert.match(stdout, /the API server does not start: .*Set API_SERVER_KEY in \.env/);
    assert.equal(place.state()?.gateway_state, 'startup_failed');
  }
});

test('a platform that takes the connection and never says a word is given up for a while, and the gateway ends when asked', async (t) => {
  const sockets: Socket[] = [];
  const mute = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  await once(mute.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
  const address = mute.address();
  assert.ok(typeof address === 'object' && address !== null);
  await using model = await startModelServer();
  const place = await gatewayPlace(t, model, { config: 'gateway:\n  platform_connect_timeout: 1\n' });
  const url = place.telegram.server.url;
  place.write('config.yaml', place.read('config.yaml').replace(url, `http://127.0.0.1:${address.port}`));
  const gateway = place.run();
  await place.inState(gateway, 'degraded');
  assert.equal(place.state()?.platforms['telegram']?.state, 'retrying');
  assert.match(place.state()?.platforms['telegram']?.error_message ?? '', /cannot be reached/);
  gateway.child.kill('SIGTERM');
  assert.equal((await gateway.ended).code, 1);
});
