/** Servers that nobody calls: they end, and they are looked at. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openPorts } from '../../src/mcp/connect-ports.ts';
import { Pins } from '../../src/mcp/pins.ts';
import { McpServer } from '../../src/mcp/server.ts';
import { readSettings } from '../../src/mcp/settings.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { pidsIn } from '../fakes/mcp-server.ts';
import { entriesOf, fakeEntry, lives, openServers, optionsFor, until } from './support.ts';

/** Waits as short as they can be; nothing is measured. */
const waits = { retry: [5, 5, 5, 5, 5], revive: 20, steady: 60_000, call: 30_000, wake: 30_000, relist: 5 };

test('a server that nobody calls ends, and starts again with the next call', async (t) => {
  const { home } = temporaryHome(t);
  const pids = join(home.path, 'pids');
  for (const more of [{ idle_timeout_seconds: 0.02 }, { lifecycle: { idle_timeout_seconds: 0.02 } }]) {
    rmSync(pids, { force: true });
    const opened = await openServers(t, { s: fakeEntry({ tools: [{ name: 'echo' }], pids }, more) }, { waits });
    await until(() => opened.servers.list()[0]?.state === 'resting');
    await until(() => !pidsIn(pids).some(lives));
    assert.deepEqual(await opened.ask('mcp__s__echo'), { result: 'echo {}' });
    assert.equal(pidsIn(pids).length, 2);
  }
});

test('a server that has become too old ends when no call runs, and starts again with the next one', async (t) => {
  const { home } = temporaryHome(t);
  const pids = join(home.path, 'pids');
  for (const more of [{ max_lifetime_seconds: 0.02 }, { lifecycle: { max_lifetime_seconds: 0.02 } }]) {
    rmSync(pids, { force: true });
    const tools = [{ name: 'echo' }, { name: 'sleep' }];
    const opened = await openServers(t, { s: fakeEntry({ tools, pids }, more) }, { waits });
    await until(() => opened.servers.list()[0]?.state === 'resting');
    assert.match(
      String((await opened.ask('mcp__s__sleep', { ms: 100 }))['result']),
      /^\d+ \d+$/,
      'a call is not cut off',
    );
    await until(() => opened.servers.list()[0]?.state === 'resting');
    await until(() => !pidsIn(pids).some(lives));
    assert.equal(pidsIn(pids).length, 2);
  }
});

test('a server that answers no more is found out while nobody calls it, and started anew', async (t) => {
  const { home } = temporaryHome(t);
  const pids = join(home.path, 'pids');
  const options = optionsFor(home.path, []);
  const { ports, close } = openPorts(options);
  t.after(close);
  const [entry] = Object.values(entriesOf({ s: fakeEntry({ tools: [{ name: 'echo' }, { name: 'hush' }], pids }) }));
  assert.ok(entry !== undefined);
  const settings = { ...readSettings('s', entry, options.variables), keepaliveMs: 20, callMs: 500 };
  const server = new McpServer(settings, { ...ports, pins: new Pins(home.path, options.log), waits }, {});
  t.after(() => server.close());
  await server.start();
  const call = (name: string) => {
    const signal = new AbortController().signal;
    return server.request('tools/call', { name, arguments: {} }, { signal, timeoutMs: 60_000 });
  };
  await call('hush');
  await until(() => pidsIn(pids).length === 2 && server.state === 'connected');
  assert.match(JSON.stringify(await call('echo')), /echo \{\}/);
});
