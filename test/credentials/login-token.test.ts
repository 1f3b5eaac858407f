/** The token of a login itself: renewed before it ends, never a key, and one line for the owner when there is no hope. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginToken } from '../../src/credentials/login-token.ts';
import type { RefreshLogin } from '../../src/credentials/refresh-login.ts';
import { hour, setUp } from './pool-fixture.ts';

const login = {
  id: 'login',
  label: 'mine',
  source: 'device_code',
  auth_type: 'oauth',
  access_token: 'old-token',
  refresh_token: 'refresh-1',
};

function start(t: Parameters<typeof setUp>[0], pool: (at: number) => unknown[], refresh?: RefreshLogin) {
  const { store, clock, write, stored } = setUp(t);
  write(pool(clock.at));
  const ask = async () => await loginToken({ store, provider: 'test', refresh, now: clock.now });
  return { ask, stored, clock };
}

const renewed: RefreshLogin = () => Promise.resolve({ accessToken: 'new-token', refreshToken: 'refresh-2' });

test('it is renewed two minutes before it ends, once for all who ask, and stored', async (t) => {
  let times = 0;
  const refresh: RefreshLogin = async (...asked) => {
    times += 1;
    return await renewed(...asked);
  };
  const { ask, stored, clock } = start(t, (at) => [{ ...login, expires_at_ms: at + 121_000 }], refresh);
  assert.equal(await ask(), 'old-token');
  clock.at += 2000;
  assert.deepEqual(await Promise.all([ask(), ask()]), ['new-token', 'new-token']);
  assert.equal(times, 1);
  assert.equal(stored()[0].refresh_token, 'refresh-2');
});

test('a minted key is not the token, and a key is no login', async (t) => {
  const minted = { agent_key: 'minted', agent_key_expires_at: '2030-01-01T00:00:00Z' };
  const key = { id: 'key', source: 'manual', auth_type: 'api_key', access_token: 'a-key', priority: -1 };
  const { ask } = start(t, (at) => [key, { ...login, ...minted, expires_at_ms: at + hour }]);
  assert.equal(await ask(), 'old-token');
  assert.equal(await start(t, () => [key]).ask(), undefined);
});

test('one that cannot be renewed is used to its end, and then says how to log in', async (t) => {
  const broken: RefreshLogin = () => Promise.reject(new Error('the portal is down'));
  const { ask, clock } = start(t, (at) => [{ ...login, expires_at_ms: at + 60_000 }], broken);
  assert.equal(await ask(), 'old-token');
  clock.at += 61_000;
  await assert.rejects(ask(), /the portal is down/);
  const bare = start(t, (at) => [{ ...login, refresh_token: null, expires_at_ms: at }]);
  await assert.rejects(bare.ask(), { message: /'mine' of test has ended/, hint: /hermes auth add test/ });
});
