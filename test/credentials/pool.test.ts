/** Several keys of one provider: which is used, which rests, and what is kept of it. */
import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { fingerprint } from '../../src/credentials/pool-entry.ts';
import { removeEntry, resetPool, saveEntry } from '../../src/credentials/stored-pool.ts';
import { poolStrategies } from '../../src/credentials/strategies.ts';
import { failed, hour, keys, never, ok, setUp, taken, use } from './pool-fixture.ts';

test('after two 429 in a row the next request uses the second key, and the first rests for an hour', async (t) => {
  const { pool, clock } = setUp(t);
  const mine = pool();
  assert.deepEqual(await use(mine, failed(429)), ['secret-a', 'same']);
  assert.deepEqual(await use(mine, failed(429)), ['secret-a', 'next']);
  assert.deepEqual(await use(mine, ok), ['secret-b', 'same']);
  clock.at += hour - 1000;
  assert.equal((await use(mine, ok))[0], 'secret-b');
  clock.at += 2000;
  assert.equal((await use(mine, ok))[0], 'secret-a');
});

test('a success between two 429 starts the count anew', async (t) => {
  const mine = setUp(t).pool();
  assert.deepEqual(await use(mine, failed(429)), ['secret-a', 'same']);
  await use(mine, ok);
  assert.deepEqual(await use(mine, failed(429)), ['secret-a', 'same']);
});

test('a key that has rested gets its one more try again', async (t) => {
  const { pool, clock } = setUp(t);
  const mine = pool();
  await use(mine, failed(429));
  await use(mine, failed(429));
  clock.at += hour + 1000;
  assert.deepEqual(await use(mine, failed(429)), ['secret-a', 'same']);
  assert.deepEqual(await use(mine, failed(429)), ['secret-a', 'next']);
});

test('a 429 rests for as long as the provider asks', async (t) => {
  const { pool, clock } = setUp(t);
  const mine = pool();
  await use(mine, failed(429));
  await use(mine, failed(429, { retryAfterMs: 90_000 }));
  clock.at += 89_000;
  assert.equal((await use(mine, ok))[0], 'secret-b');
  clock.at += 2000;
  assert.equal((await use(mine, ok))[0], 'secret-a');
});

test('a 429 about a plan moves on at once', async (t) => {
  const mine = setUp(t).pool();
  assert.deepEqual(await use(mine, failed(429, { exhausted: true })), ['secret-a', 'next']);
  assert.equal((await use(mine, ok))[0], 'secret-b');
});

test('a 402 moves on at once, and the key is not used for 24 hours by any process', async (t) => {
  const { pool, clock } = setUp(t);
  assert.deepEqual(await use(pool(), failed(402)), ['secret-a', 'next']);
  assert.equal((await use(pool(), ok))[0], 'secret-b');
  clock.at += 24 * hour - 1000;
  assert.equal((await use(pool(), ok))[0], 'secret-b');
  clock.at += 2000;
  assert.equal((await use(pool(), ok))[0], 'secret-a');
});

test('what is wrong with a request or a server never rests a key', async (t) => {
  const { pool, exists } = setUp(t);
  const mine = pool();
  for (const status of [400, 404, 408, 413, 422, 500, 502, 503, 529]) {
    assert.deepEqual(await use(mine, failed(status)), ['secret-a', 'same']);
    assert.deepEqual(await use(mine, failed(status)), ['secret-a', 'same']);
  }
  const broken = { kind: 'failed', exhausted: false, reason: 'reset' } as const;
  assert.deepEqual(await use(mine, broken), ['secret-a', 'same']);
  assert.equal(exists(), false);
});

test('a key that is not accepted is passed over while there is another, and nothing is written', async (t) => {
  const { pool, exists } = setUp(t);
  const mine = pool();
  assert.deepEqual(await use(mine, failed(401)), ['secret-a', 'next']);
  assert.deepEqual(await use(mine, failed(401)), ['secret-b', 'none']);
  // Both were refused: asking again shows the provider's own words.
  assert.equal((await use(mine, failed(401)))[0], 'secret-a');
  assert.equal(exists(), false);
});

test('when all keys rest the pool gives nothing and says when the first is free, and how to free it', async (t) => {
  const { pool, store } = setUp(t);
  const mine = pool();
  await use(mine, failed(429, { exhausted: true, retryAfterMs: 600_000 }));
  assert.deepEqual(await use(mine, failed(402)), ['secret-b', 'none']);
  assert.equal(await mine.take(never), undefined);
  const why = mine.nothingLeft();
  assert.equal(why?.kind, 'rate_limit');
  assert.match(why?.message ?? '', /'KEY_A' is tried again in 10 min.*hermes auth reset test/);
  assert.equal(await resetPool(store, 'test'), 2);
  assert.equal((await use(mine, ok))[0], 'secret-a');
});

test('a single key never rests, and leaves no file behind', async (t) => {
  const { pool, exists } = setUp(t);
  const mine = pool({ seeds: keys('a') });
  await mine.align();
  for (const status of [429, 429, 402, 401, 429]) {
    assert.deepEqual(await use(mine, failed(status)), ['secret-a', 'none']);
  }
  await use(mine, ok);
  await mine.close();
  assert.equal(exists(), false);
});

test('a key of the environment is stored as a fingerprint, in a file for the owner only', async (t) => {
  const { pool, path, text, stored } = setUp(t);
  await use(pool(), { kind: 'failed', status: 402, exhausted: true, reason: 'no credit for secret-a' });
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.doesNotMatch(text(), /secret-a/);
  assert.match(stored()[0].secret_fingerprint, /^sha256:[0-9a-f]{16}$/);
  assert.equal(stored()[0].source, 'env:KEY_A');
  assert.equal(stored()[0].access_token, undefined);
});

test('a raw key that another version stored for the environment is reduced to its fingerprint', async (t) => {
  const { pool, write, stored } = setUp(t);
  write([{ id: 'x1', source: 'env:KEY_A', access_token: 'secret-a', priority: 0, novel: 7 }]);
  await pool({ seeds: keys('a') }).align();
  assert.deepEqual(stored(), [
    { id: 'x1', source: 'env:KEY_A', priority: 0, novel: 7, secret_fingerprint: fingerprint('secret-a') },
  ]);
});

test('entries of sources that are gone are dropped, those made by hand never', async (t) => {
  const { pool, write, stored } = setUp(t);
  const kept = [
    { id: 'm', source: 'manual', access_token: 'hand-made' },
    { id: 'd', source: 'device_code', access_token: 'login', refresh_token: 'r' },
    { id: 'v', source: 'vault:other', secret_fingerprint: 'sha256:0000000000000000' },
  ];
  write([{ id: 'e', source: 'env:GONE' }, ...kept, { id: 'c', source: 'config:gone' }]);
  await pool({ seeds: [] }).align();
  assert.deepEqual(stored(), kept);
});

test('a new value of a variable starts without the rest of the old one', async (t) => {
  const { pool, stored } = setUp(t);
  await use(pool(), failed(402));
  const renewed = pool({ seeds: [{ source: 'env:KEY_A', secret: 'other-key' }, ...keys('b')] });
  await renewed.align();
  assert.equal((await use(renewed, ok))[0], 'other-key');
  assert.equal(stored()[0].last_status, 'ok');
  assert.equal(stored()[0].secret_fingerprint, fingerprint('other-key'));
});

test('a rest that the original program noted is kept', async (t) => {
  const { pool, write, clock } = setUp(t);
  const seconds = clock.at / 1000;
  write([
    {
      id: 'a',
      source: 'manual',
      access_token: 'one',
      last_status: 'exhausted',
      last_status_at: seconds,
      last_error_code: 429,
    },
    { id: 'b', source: 'manual', access_token: 'two', last_status: 'exhausted', last_error_reset_at: seconds + 60 },
    { id: 'c', source: 'manual', access_token: 'three', last_status: 'dead', priority: -1 },
  ]);
  const mine = pool({ seeds: [] });
  assert.equal(await mine.take(never), undefined);
  clock.at += 61_000;
  assert.equal((await use(mine, ok))[0], 'two');
  clock.at += hour;
  assert.equal((await use(mine, ok))[0], 'one');
});

test('turns that run side by side use different keys while there are enough', async (t) => {
  const mine = setUp(t).pool({ seeds: keys('a', 'b', 'c') });
  const first = await taken(mine);
  const second = await taken(mine);
  const third = await taken(mine);
  assert.equal(new Set([first.secret, second.secret, third.secret]).size, 3);
  await mine.report(second, ok, never);
  assert.equal((await taken(mine)).secret, second.secret);
});

test('round robin goes around, least used evens out, random draws, fill first stays', async (t) => {
  const seeds = keys('a', 'b', 'c');
  const { pool, write } = setUp(t);
  const run = async (options: Parameters<typeof pool>[0]) => {
    const mine = pool({ seeds, ...options });
    const used: string[] = [];
    for (let n = 0; n < 4; n += 1) used.push((await use(mine, ok))[0].slice(-1));
    return used.join('');
  };
  assert.equal(await run({ strategy: 'fill_first' }), 'aaaa');
  assert.equal(await run({ strategy: 'round_robin' }), 'abca');
  const draws = [0.99, 0, 0.5, 0.34];
  assert.equal(await run({ strategy: 'random', random: () => draws.shift() ?? 0 }), 'cabb');
  write([{ id: 'a', source: 'env:KEY_A', secret_fingerprint: fingerprint('secret-a'), request_count: 2 }]);
  assert.equal(await run({ strategy: 'least_used' }), 'bcbc');
});

test('requests are counted, and the counts of two processes add up when they close', async (t) => {
  const { pool, stored } = setUp(t);
  const one = pool();
  const two = pool();
  for (let n = 0; n < 3; n += 1) await use(one, ok);
  for (let n = 0; n < 2; n += 1) await use(two, ok);
  await one.close();
  await two.close();
  await two.close();
  assert.equal(stored()[0].request_count, 5);
});

test('a removed key of the environment does not come back by itself', async (t) => {
  const { pool, store } = setUp(t);
  const mine = pool();
  const [first] = mine.members();
  assert.equal(await removeEntry(store, 'test', first!.entry), true);
  assert.deepEqual(
    pool()
      .members()
      .map(({ secret }) => secret),
    ['secret-b'],
  );
  assert.deepEqual(store.read().suppressed_sources, { test: ['env:KEY_A'] });
});

test('a removed login does not come back from what lies elsewhere, until one logs in again', async (t) => {
  const { pool, store, stored } = setUp(t);
  const seeds = [{ source: 'device_code', secret: 'lies-elsewhere', refreshToken: 'r' }];
  await pool({ seeds }).align();
  await removeEntry(store, 'test', store.poolOf('test')[0]!);
  await pool({ seeds }).align();
  assert.equal(await pool({ seeds }).take(never), undefined);
  await saveEntry(store, 'test', { id: 'd', source: 'device_code', access_token: 'new-login' });
  assert.equal((await use(pool({ seeds }), ok))[0], 'new-login');
  assert.equal(stored().length, 1);
  assert.deepEqual(store.read().suppressed_sources, {});
});

test('an added key comes last, a new login replaces the old one of its source with its status', async (t) => {
  const { store, stored } = setUp(t);
  await saveEntry(store, 'test', { id: 'k1', source: 'manual', access_token: 'one' });
  await saveEntry(store, 'test', { id: 'k2', source: 'manual', access_token: 'two' });
  await saveEntry(store, 'test', { id: 'd1', source: 'device_code', access_token: 'old', last_status: 'dead' });
  await saveEntry(store, 'test', { id: 'd2', source: 'device_code', access_token: 'new' });
  assert.deepEqual(
    stored().map(({ id, priority, access_token }: Record<string, unknown>) => [id, priority, access_token]),
    [
      ['k1', 0, 'one'],
      ['k2', 1, 'two'],
      ['d2', 2, 'new'],
    ],
  );
  assert.equal(stored()[2].last_status, 'ok');
  assert.equal(await removeEntry(store, 'test', store.poolOf('test')[0]!), true);
  assert.equal(stored().length, 2);
});

test('a home that cannot be written still rests its keys, in this process', async (t) => {
  const { pool, path, exists } = setUp(t);
  // Not even root can take a lock that is a directory.
  mkdirSync(join(dirname(path), 'auth.lock'));
  const mine = pool();
  assert.deepEqual(await use(mine, failed(402)), ['secret-a', 'next']);
  assert.equal((await use(mine, ok))[0], 'secret-b');
  assert.equal(exists(), false);
});

test('a file that gets damaged while we run stops no request and is left alone', async (t) => {
  const { pool, path, text } = setUp(t);
  const mine = pool();
  await use(mine, ok);
  writeFileSync(path, '{"version":');
  assert.deepEqual(await use(mine, failed(402)), ['secret-a', 'next']);
  assert.equal((await use(mine, ok))[0], 'secret-b');
  assert.equal(text(), '{"version":');
  await assert.rejects(pool().align(), /cannot be used/);
});

test('a key of the command line is used alone and leaves no trace', async (t) => {
  const { pool, stored, write } = setUp(t);
  const entries = [
    { id: 'm', source: 'manual', access_token: 'hand-made' },
    { id: 'e', source: 'env:KEY_A' },
  ];
  write(entries);
  const mine = pool({ seeds: [{ source: 'flag', secret: 'for-this-run' }] });
  await mine.align();
  assert.deepEqual(await use(mine, failed(402)), ['for-this-run', 'none']);
  assert.equal((await use(mine, ok))[0], 'for-this-run');
  await mine.close();
  assert.deepEqual(stored(), entries);
});

test('whatever happens, a resting key is never given, and a healthy one is always found', async (t) => {
  const { path, clock, pool } = setUp(t);
  const names = ['a', 'b', 'c'];
  const step = fc.record({
    wait: fc.integer({ min: 0, max: 2 * hour }),
    status: fc.constantFrom(0, 0, 400, 429, 402, 500),
    exhausted: fc.boolean(),
    process: fc.nat(1),
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...poolStrategies), fc.array(step, { maxLength: 12 }), async (strategy, steps) => {
      writeFileSync(path, '{"version":1}');
      const processes = [0, 1].map(() => pool({ seeds: keys(...names), strategy }));
      const free = new Map(names.map((name) => [`secret-${name}`, 0]));
      const warned = processes.map(() => new Set<string>());
      for (const { wait, status, exhausted, process } of steps) {
        clock.at += wait;
        const healthy = [...free].filter(([, until]) => until <= clock.at).map(([secret]) => secret);
        const credential = await processes[process]!.take(never);
        assert.equal(credential !== undefined, healthy.length > 0);
        if (credential === undefined) continue;
        const { secret } = credential;
        assert.ok(healthy.includes(secret));
        if (strategy === 'fill_first') assert.equal(secret, healthy[0]);
        const limited = exhausted && status === 429;
        const outcome = status === 0 ? ok : failed(status, { exhausted: limited });
        const advice = await processes[process]!.report(credential, outcome, never);
        const slowed = warned[process]!;
        const rests = status === 402 || limited || (status === 429 && slowed.has(secret));
        if (rests) free.set(secret, clock.at + (status === 402 ? 24 * hour : hour));
        if (status === 0 || rests) slowed.delete(secret);
        else if (status === 429) slowed.add(secret);
        assert.equal(advice, rests ? (healthy.length > 1 ? 'next' : 'none') : 'same');
      }
    }),
    { numRuns: 40 },
  );
});
