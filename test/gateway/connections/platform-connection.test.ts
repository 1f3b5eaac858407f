/** A connection that does not come about, or ends: when it is tried again, and when it is left alone. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { type ConnectionState, PlatformConnection } from '../../../src/gateway/connections/platform-connection.ts';
import type { AdapterHost } from '../../../src/gateway/platform/adapter-host.ts';
import { PlatformError } from '../../../src/gateway/platform/platform-error.ts';
import { noLog } from '../../../src/lib/log.ts';
import { ChatService } from '../chat-service.ts';

const down = new PlatformError('fake_down', 'the service is down', { retryable: true });

/** `connect` is what each attempt does, counted from 1; waits pass at once, but for that of a pause. */
function opened(
  t: TestContext,
  connect: (attempt: number, signal: AbortSignal) => Promise<void>,
  { disconnectMs = 5000, disconnect }: { disconnectMs?: number; disconnect?: () => Promise<void> } = {},
) {
  const { platform, config } = new ChatService();
  const hosts: AdapterHost[] = [];
  const states: ConnectionState[] = [];
  const ends: number[] = [];
  let waited = 0;
  const clock = {
    now: () => waited,
    random: () => 0,
    async sleep(ms: number, signal: AbortSignal) {
      if (ms >= 3_600_000) await once(signal, 'abort');
      signal.throwIfAborted();
      // Beside an end that is waited for.
      if (ms !== disconnectMs) waited += ms;
      else ends.push(ms);
      await Promise.resolve();
    },
  };
  const connection = new PlatformConnection({
    platform: {
      ...platform,
      create(host) {
        hosts.push(host);
        const adapter = platform.create(host);
        return {
          ...adapter,
          connect: async (signal) => await connect(hosts.length, signal),
          disconnect: async () => await (disconnect === undefined ? adapter.disconnect() : disconnect()),
        };
      },
    },
    config,
    clock,
    log: noLog,
    connectTimeoutMs: 30_000,
    disconnectMs,
    host: () => ({
      config,
      log: noLog,
      clock,
      network: {},
      fetchOutside: fetch,
      notes: { get: () => Promise.resolve(undefined), set: () => Promise.resolve() },
      folder: () => Promise.resolve('/nowhere'),
      accept: () => Promise.resolve('ignored'),
      moved: () => Promise.resolve(),
      threadGone: () => undefined,
      press: () => Promise.resolve({ as: 'stale' }),
      isAuthorized: () => Promise.resolve(false),
      lock: () => Promise.resolve(),
    }),
    released: () => Promise.resolve(),
    onStatus: ({ state }) => void states.push(state),
    onConnected: () => undefined,
  });
  t.after(() => connection.close());
  return { connection, hosts, states, clock, ends };
}

test('what may pass is tried again at once, and then after longer and longer waits, for ever', async (t) => {
  const at: number[] = [];
  const enough = Promise.withResolvers<void>();
  const { connection, clock } = opened(t, async (attempt, signal) => {
    at.push(clock.now() / 1000);
    if (attempt < 9) throw down;
    enough.resolve();
    await once(signal, 'abort');
  });
  await connection.start();
  await enough.promise;
  assert.deepEqual(at, [0, 0, 30, 90, 210, 450, 750, 1050, 1350]);
});

test('an adapter that says five times that it ended has ended once', async (t) => {
  const again = Promise.withResolvers<void>();
  const { connection, hosts, states } = opened(t, async (attempt) => {
    if (attempt === 2) again.resolve();
    await Promise.resolve();
  });
  await connection.start();
  for (let count = 0; count < 5; count += 1) hosts[0]?.failed(down);
  await again.promise;
  assert.equal(states.filter((state) => state === 'retrying').length, 2, 'told, and tried');
  assert.equal(hosts.length, 2);
});

test('a pause while an attempt is under way counts when that fails, and a resume tries at once', async (t) => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const third = Promise.withResolvers<void>();
  const { connection, states, hosts } = opened(t, async (attempt) => {
    if (attempt === 1) throw down;
    if (attempt === 3) return third.resolve();
    begun.resolve();
    await gate.promise;
    throw down;
  });
  await connection.start();
  await begun.promise;
  assert.equal(connection.pause(), true);
  gate.resolve();
  while (states.at(-1) !== 'paused' || states.length < 5) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(hosts.length, 2);
  assert.equal(connection.resume(), true);
  await third.promise;
});

test('a connection that came about is paused no more: when it ends it is tried again', async (t) => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const third = Promise.withResolvers<void>();
  const { connection, states, hosts } = opened(t, async (attempt) => {
    if (attempt === 1) throw down;
    if (attempt === 3) return third.resolve();
    begun.resolve();
    await gate.promise;
  });
  await connection.start();
  await begun.promise;
  assert.equal(connection.pause(), true);
  gate.resolve();
  while (states.at(-1) !== 'connected') await new Promise((resolve) => setImmediate(resolve));
  hosts[1]?.failed(down);
  await third.promise;
});

test('an end that does not come is waited for as long as the settings say, and then left behind', async (t) => {
  const never = Promise.withResolvers<void>();
  const { connection, ends } = opened(t, () => Promise.resolve(), {
    disconnectMs: 1500,
    disconnect: () => never.promise,
  });
  await connection.start();
  await connection.close();
  assert.deepEqual(ends, [1500]);
  assert.equal(connection.status.state, 'disconnected');
});
