/** What others ask of a gateway that runs, and what it tells its supervisor. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startModelServer } from '../../fakes/model-server.ts';
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
