/** Logins that end: renewed once, by one process, and given up when the provider says so. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { LoginLost } from '../../src/credentials/login-lost.ts';
import type { RefreshLogin } from '../../src/credentials/refresh-login.ts';
import { failed, never, ok, setUp, taken, use } from './pool-fixture.ts';

function login(endsAt: number, more: object = {}) {
  return {
    id: 'login',
    source: 'device_code',
    auth_type: 'oauth',
    access_token: 'old-token',
    refresh_token: 'refresh-1',
    expires_at_ms: endsAt,
    ...more,
  };
}

/** Renews to `new-token` for an hour, and counts. */
function provider(clock: { at: number }) {
  const asked: (string | null | undefined)[] = [];
  const refresh: RefreshLogin = async (entry) => {
    asked.push(entry.refresh_token);
    return { accessToken: 'new-token', refreshToken: 'refresh-2', expiresAt: clock.at + 3_600_000 };
  };
  return { asked, refresh };
}

test('a login is renewed two minutes before it ends, and stored', async (t) => {
  const { pool, clock, write, stored } = setUp(t);
  write([login(clock.at + 121_000, { expires_at: new Date(clock.at + 121_000).toISOString(), scope: 'kept' })]);
  const { asked, refresh } = provider(clock);
  const mine = pool({ seeds: [], refresh });
  assert.equal((await use(mine, ok))[0], 'old-token');
  clock.at += 2000;
  assert.equal((await use(mine, ok))[0], 'new-token');
  assert.equal((await use(mine, ok))[0], 'new-token');
  assert.deepEqual(asked, ['refresh-1']);
  const [entry] = stored();
  assert.deepEqual(
    [entry.access_token, entry.refresh_token, entry.expires_at_ms, entry.scope],
    ['new-token', 'refresh-2', clock.at + 3_600_000, 'kept'],
  );
  assert.equal(Date.parse(entry.expires_at), entry.expires_at_ms);
});

test('turns and processes that need a login at the same time renew it once', async (t) => {
  const { pool, clock, write } = setUp(t);
  write([login(clock.at - 1)]);
  const { asked, refresh } = provider(clock);
  const one = pool({ seeds: [], refresh });
  const two = pool({ seeds: [], refresh });
  const all = await Promise.all([taken(one), taken(one), taken(two), taken(two)]);
  assert.deepEqual(
    all.map(({ secret }) => secret),
    Array(4).fill('new-token'),
  );
  assert.equal(asked.length, 1);
});

test('a refused login is renewed once, and rejected when that does not help', async (t) => {
  const { pool, clock, write } = setUp(t);
  write([login(clock.at + 3_600_000), { id: 'k', source: 'manual', access_token: 'plain', priority: 1 }]);
  const { asked, refresh } = provider(clock);
  const mine = pool({ seeds: [], refresh });
  assert.deepEqual(await use(mine, failed(401)), ['old-token', 'next']);
  assert.deepEqual(await use(mine, failed(401)), ['new-token', 'next']);
  assert.deepEqual(await use(mine, ok), ['plain', 'same']);
  assert.equal(asked.length, 1);
});

test('a login that another process renewed meanwhile is taken from the file', async (t) => {
  const { pool, clock, write } = setUp(t);
  write([login(clock.at + 3_600_000)]);
  const { asked, refresh } = provider(clock);
  const mine = pool({ seeds: [], refresh });
  const credential = await taken(mine);
  write([login(clock.at + 7_200_000, { access_token: 'from-another-process', refresh_token: 'refresh-9' })]);
  assert.equal(await mine.report(credential, failed(401), never), 'next');
  assert.equal((await taken(mine)).secret, 'from-another-process');
  assert.deepEqual(asked, []);
});

test('a login that the provider ended is tried once, marked, and explained in every process', async (t) => {
  const { pool, clock, write, stored } = setUp(t);
  write([login(clock.at - 1)]);
  let asked = 0;
  const refresh: RefreshLogin = async () => {
    asked += 1;
    throw new LoginLost('the provider answered invalid_grant for refresh-1');
  };
  const mine = pool({ seeds: [], refresh });
  for (let n = 0; n < 3; n += 1) assert.equal(await mine.take(never), undefined);
  assert.equal(await pool({ seeds: [], refresh }).take(never), undefined);
  assert.equal(asked, 1);
  assert.equal(stored()[0].last_status, 'dead');
  const why = pool({ seeds: [] }).nothingLeft();
  assert.equal(why?.kind, 'auth');
  assert.match(
    why?.message ?? '',
    /has ended: .*invalid_grant for [^ ]+\. Log in again with `hermes auth add test`\.$/,
  );
});

test('processes that wait for a renewal do not ask again when it turns out that the login has ended', async (t) => {
  const { pool, clock, write } = setUp(t);
  write([login(clock.at - 1)]);
  let asked = 0;
  const refresh: RefreshLogin = async () => {
    asked += 1;
    throw new LoginLost('invalid_grant');
  };
  const takes = [1, 2, 3].map(() => pool({ seeds: [], refresh }).take(never));
  assert.deepEqual(await Promise.all(takes), [undefined, undefined, undefined]);
  assert.equal(asked, 1);
});

test('a passing trouble with renewing does not stop a login that is still good', async (t) => {
  const { pool, clock, write, stored } = setUp(t);
  write([login(clock.at + 60_000)]);
  let asked = 0;
  const refresh: RefreshLogin = async () => {
    asked += 1;
    throw new Error('no network');
  };
  const mine = pool({ seeds: [], refresh });
  assert.equal((await use(mine, ok))[0], 'old-token');
  assert.equal((await use(mine, ok))[0], 'old-token');
  assert.equal(asked, 1);
  clock.at += 61_000;
  await assert.rejects(mine.take(never), /no network/);
  assert.equal(stored()[0].last_status, undefined);
});

test('when a login cannot be renewed for now, another credential is used', async (t) => {
  const { pool, clock, write } = setUp(t);
  write([login(clock.at - 1), { id: 'k', source: 'manual', access_token: 'plain', priority: 1 }]);
  const refresh: RefreshLogin = async () => {
    throw new Error('no network');
  };
  assert.equal((await use(pool({ seeds: [], refresh }), ok))[0], 'plain');
});

test('an interrupt ends the waiting for a renewal at once, and the renewal is still kept', async (t) => {
  const { pool, clock, write, stored } = setUp(t);
  write([login(clock.at - 1)]);
  const began = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const refresh: RefreshLogin = async () => {
    began.resolve();
    await answer.promise;
    return { accessToken: 'new-token', refreshToken: 'refresh-2', expiresAt: clock.at + 3_600_000 };
  };
  const mine = pool({ seeds: [], refresh });
  const stop = new AbortController();
  const waiting = mine.take(stop.signal);
  await began.promise;
  stop.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
  const next = taken(mine);
  answer.resolve();
  assert.equal((await next).secret, 'new-token');
  assert.equal(stored()[0].refresh_token, 'refresh-2');
});

test('the login of another program is renewed without its tokens being copied to the file', async (t) => {
  const { pool, clock, exists } = setUp(t);
  const { asked, refresh } = provider(clock);
  const seed = { source: 'claude_code', secret: 'theirs', refreshToken: 'their-refresh', expiresAt: clock.at - 1 };
  const mine = pool({ seeds: [seed], refresh });
  await mine.align();
  assert.equal((await use(mine, ok))[0], 'new-token');
  clock.at += 3_500_000;
  assert.equal((await use(mine, ok))[0], 'new-token');
  assert.deepEqual(asked, ['their-refresh', 'refresh-2']);
  assert.equal(exists(), false);
});

test('a login of our own that lies elsewhere is taken in, and an older copy never comes back', async (t) => {
  const { pool, clock, stored } = setUp(t);
  const seed = { source: 'device_code', secret: 'first', refreshToken: 'r', expiresAt: clock.at + 60_000 };
  const { refresh } = provider(clock);
  await pool({ seeds: [seed], refresh }).align();
  assert.equal(stored()[0].access_token, 'first');
  assert.equal((await use(pool({ seeds: [seed], refresh }), ok))[0], 'new-token');
  await pool({ seeds: [seed], refresh }).align();
  assert.equal(stored()[0].access_token, 'new-token');
  const again = { ...seed, secret: 'second', expiresAt: clock.at + 9_000_000 };
  await pool({ seeds: [again], refresh }).align();
  assert.equal(stored()[0].access_token, 'second');
});

test('new tokens that cannot be stored are used all the same', async (t) => {
  const { pool, path, clock, write } = setUp(t);
  write([login(clock.at - 1)]);
  mkdirSync(join(dirname(path), 'auth.lock'));
  const { asked, refresh } = provider(clock);
  const mine = pool({ seeds: [], refresh });
  assert.equal((await use(mine, ok))[0], 'new-token');
  assert.equal((await use(mine, ok))[0], 'new-token');
  assert.equal(asked.length, 1);
});

test('two real processes renew one login once', async (t) => {
  const { path, clock, write, stored } = setUp(t);
  write([login(clock.at - 1)]);
  const asked = join(dirname(path), 'asked');
  const at = (file: string) => JSON.stringify(new URL(`../../src/credentials/${file}.ts`, import.meta.url).href);
  const program = `
    const { appendFileSync } = await import('node:fs');
    const { FileAuthStore } = await import(${at('auth-store')});
    const { StoredCredentialPool } = await import(${at('pool')});
    const refresh = async () => {
      appendFileSync(${JSON.stringify(asked)}, '.');
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { accessToken: 'new-' + process.pid, refreshToken: 'next', expiresAt: Date.now() + 3600000 };
    };
    const store = new FileAuthStore(${JSON.stringify(path)});
    const pool = new StoredCredentialPool({ store, provider: 'test', seeds: [], refresh });
    process.stdout.write((await pool.take(new AbortController().signal)).secret);`;
  const tokens = [1, 2].map(async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let token = '';
    child.stdout.on('data', (part: Buffer) => {
      token += part.toString();
    });
    await once(child, 'close');
    return token;
  });
  const [one, two] = await Promise.all(tokens);
  assert.ok(existsSync(asked));
  assert.equal(readFileSync(asked, 'utf8'), '.');
  assert.match(one ?? '', /^new-\d+$/);
  assert.equal(one, two);
  assert.equal(stored()[0].access_token, one);
});
