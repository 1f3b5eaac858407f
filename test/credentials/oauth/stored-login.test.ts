/** A login in `auth.json`: made, kept, renewed by the pool, and given up when its provider says so. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryFields, refreshLoginOf } from '../../../src/credentials/oauth/stored-login.ts';
import { failed, never, ok, setUp as setUpPool, taken, use } from '../pool-fixture.ts';
import { options, setUp, start } from './surface.ts';

test('a pool renews a login of Codex before it ends, stores both tokens and keeps the account', async (t) => {
  await using world = await setUp();
  const { pool, clock, write, stored } = setUpPool(t);
  clock.at = start;
  world.server.settings.tokenAnswer = { expires_in: 3600 };
  const tokens = await (await world.open('openai-codex')).start(options());
  write([{ id: 'c', label: 'me', source: 'device_code', priority: 0, ...entryFields(tokens) }]);
  const refresh = refreshLoginOf('openai-codex', world.context);
  assert.ok(refresh);
  const mine = pool({ seeds: [], refresh });
  assert.equal((await use(mine, ok))[0], tokens.accessToken);
  clock.at = start + 3_600_000;
  world.clock.at = clock.at;
  world.server.settings.tokenAnswer = { expires_in: 3600, id_token: null };
  const { secret, account } = await taken(mine);
  assert.equal(account, 'account-1');
  assert.notEqual(secret, tokens.accessToken);
  const [entry] = stored();
  assert.equal(entry.access_token, secret);
  assert.notEqual(entry.refresh_token, tokens.refreshToken);
  assert.equal(entry.account_id, 'account-1');
  assert.equal(entry.expires_at_ms, clock.at + 3_600_000);
});

test('a refresh that Codex refuses for good is tried once; then the person is asked to log in', async (t) => {
  await using world = await setUp();
  const { pool, clock, write, stored } = setUpPool(t);
  clock.at = start;
  write([
    { id: 'c', label: 'me', source: 'device_code', auth_type: 'oauth', access_token: 'old', refresh_token: 'revoked' },
  ]);
  world.server.answerInstead('/oauth/token', { status: 400, body: { error: 'invalid_grant' } });
  const refresh = refreshLoginOf('openai-codex', world.context);
  assert.ok(refresh);
  const mine = pool({ seeds: [], refresh });
  assert.deepEqual(await use(mine, failed(401)), ['old', 'none']);
  for (const other of [mine, pool({ seeds: [], refresh })]) {
    assert.equal(await other.take(never), undefined);
    assert.match(other.nothingLeft?.()?.message ?? '', /hermes auth add openai-codex|hermes auth add test/);
  }
  assert.equal(world.server.requests.length, 1);
  assert.equal(stored()[0].last_status, 'dead');
});
