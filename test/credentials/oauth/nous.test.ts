/** What is particular to Nous Portal: keys that are minted, and refresh tokens that are good for one time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoginLost } from '../../../src/credentials/login-lost.ts';
import { RefreshError, type TokenSet } from '../../../src/credentials/oauth/login.ts';
import { entryFields, refreshLoginOf } from '../../../src/credentials/oauth/stored-login.ts';
import { expiryOf, parseEntry, storedSecret } from '../../../src/credentials/pool-entry.ts';
import { failureOf, never, options, setUp, start } from './surface.ts';

function keyOf({ extra }: TokenSet): string {
  const key = extra?.['agent_key'];
  return typeof key === 'string' ? key : '';
}

const oldScope = 'inference:mint_agent_key';

test('an older portal, which does not know the scope, is asked again and mints a key', async () => {
  await using world = await setUp();
  world.server.settings.portalScopes = [oldScope];
  const tokens = await (await world.open('nous')).start(options());
  assert.equal(tokens.scope, oldScope);
  assert.match(keyOf(tokens), /^agent-key-hidden/);
  assert.equal(tokens.extra?.['agent_key_expires_at'], new Date(start + 5000 + 1_801_000).toISOString());
  const minted = world.server.requests.at(-1);
  assert.deepEqual(minted?.fields, { min_ttl_seconds: 1800 });
  assert.equal(minted?.headers.authorization, `Bearer ${tokens.accessToken}`);
});

test('an opaque token is not sent to models, even when it has the newer scope', async () => {
  await using world = await setUp();
  world.server.settings.tokenAnswer = { access_token: world.server.secret('opaque'), scope: 'inference:invoke' };
  const tokens = await (await world.open('nous')).start(options());
  assert.match(keyOf(tokens), /^agent-key-hidden/);
});

test('HERMES_NOUS_MIN_KEY_TTL_SECONDS says how long a key must last', async () => {
  for (const [value, seconds] of [
    ['3600', 3600],
    ['5', 60],
    ['soon', 1800],
    ['', 1800],
  ] as const) {
    await using world = await setUp({ HERMES_NOUS_MIN_KEY_TTL_SECONDS: value });
    world.server.settings.portalScopes = [oldScope];
    await (await world.open('nous')).start(options());
    assert.deepEqual(world.server.requests.at(-1)?.fields, { min_ttl_seconds: seconds });
  }
});

test('the portal may name its own address for inference, and no other', async () => {
  await using world = await setUp();
  for (const [address, kept] of [
    ['https://inference-eu.nousresearch.com/v1/', 'https://inference-eu.nousresearch.com/v1'],
    ['https://nousresearch.com.evil.test/v1', undefined],
    ['http://inference-api.nousresearch.com/v1', undefined],
  ]) {
    world.server.settings.tokenAnswer = { inference_base_url: address };
    const tokens = await (await world.open('nous')).start(options());
    assert.equal(tokens.extra?.['inference_base_url'], kept);
  }
});

test('HERMES_PORTAL_BASE_URL and HERMES_NOUS_CLIENT_ID lead elsewhere, but never unencrypted', async () => {
  await using world = await setUp({
    HERMES_PORTAL_BASE_URL: 'https://portal.example.test/base/',
    HERMES_NOUS_CLIENT_ID: 'my-client',
  });
  await failureOf(world.server, (await world.open('nous')).start(options()));
  const [asked] = world.server.requests;
  assert.deepEqual([asked?.host, asked?.path], ['portal.example.test', '/base/api/oauth/device/code']);
  assert.equal(asked?.fields['client_id'], 'my-client');
  for (const address of ['http://127.0.0.1:3000', 'portal']) {
    await using other = await setUp({ HERMES_PORTAL_BASE_URL: address });
    assert.match((await failureOf(other.server, other.open('nous'))).message, /not an https address/);
  }
});

test('a refresh sends the token in the portal’s header and gets both tokens anew', async () => {
  await using world = await setUp();
  const login = await world.open('nous');
  const first = await login.start(options());
  const second = await login.refresh(first, never);
  assert.notEqual(second.accessToken, first.accessToken);
  assert.notEqual(second.refreshToken, first.refreshToken);
  assert.equal(second.expiresAt, (start + 5000) / 1000 + 900);
  const asked = world.server.requests.at(-1);
  assert.equal(asked?.headers['x-nous-refresh-token'], first.refreshToken);
  assert.deepEqual(asked?.fields, { client_id: 'hermes-cli', grant_type: 'refresh_token' });
});

test('a refresh token that was used is the end of the login; a portal in trouble is not', async () => {
  await using world = await setUp();
  const login = await world.open('nous');
  const first = await login.start(options());
  await login.refresh(first, never);
  const ended = await failureOf(world.server, login.refresh(first, never));
  assert.ok(ended instanceof RefreshError && ended.terminal);
  assert.match(`${ended.message} ${ended.hint}`, /Refresh token reuse detected.*hermes auth add nous --type oauth/);
  for (const answer of [
    { status: 500, body: {} },
    { status: 503, body: '<html>' },
    { status: 429, body: {} },
    { cut: true },
    { body: '{' },
    { status: 400, body: { error: 'invalid_client' } },
  ]) {
    world.server.answerInstead('/api/oauth/token', answer);
    const passing = await failureOf(world.server, login.refresh(first, never));
    assert.ok(passing instanceof RefreshError && !passing.terminal, passing.message);
  }
});

test('a login without a refresh token cannot be renewed, and nobody is asked', async () => {
  await using world = await setUp();
  const error = await failureOf(world.server, (await world.open('nous')).refresh({ accessToken: 'old' }, never));
  assert.ok(error instanceof RefreshError && error.terminal);
  assert.equal(world.server.requests.length, 0);
});

test('an abort of a refresh is an abort', async () => {
  await using world = await setUp();
  const stop = new AbortController();
  world.server.answerInstead('/api/oauth/token', { hang: true });
  const work = (await world.open('nous')).refresh({ accessToken: 'a', refreshToken: 'r' }, stop.signal);
  stop.abort(new Error('no more'));
  assert.equal((await failureOf(world.server, work)).message, 'no more');
});

test('a key that cannot be minted does not lose the new refresh token', async () => {
  await using world = await setUp();
  world.server.settings.portalScopes = [oldScope];
  const login = await world.open('nous');
  const first = await login.start(options());
  world.server.answerInstead('/api/oauth/agent-key', { status: 500, body: {} });
  const second = await login.refresh(first, never);
  assert.notEqual(second.refreshToken, first.refreshToken);
  assert.equal(second.extra?.['agent_key'], first.extra?.['agent_key']);
  assert.match(keyOf(await login.refresh(second, never)), /^agent-key-hidden/);
});

test('a pool keeps the minted key as what is sent, and clears it when tokens serve themselves', async () => {
  await using world = await setUp();
  world.server.settings.portalScopes = [oldScope];
  const tokens = await (await world.open('nous')).start(options());
  const stored = { id: 'n', source: 'device_code', ...entryFields(tokens) };
  const entry = parseEntry(stored);
  assert.ok(entry);
  assert.equal(storedSecret(entry), tokens.extra?.['agent_key']);
  assert.equal(expiryOf(entry), start + 5000 + 1_801_000);
  world.server.settings.portalScopes = ['inference:invoke'];
  // The old scope was granted; the token says for itself that it may do more.
  const renewed = await refreshLoginOf('nous', world.context)?.(entry, never);
  const after = parseEntry({ ...stored, access_token: renewed?.accessToken, ...renewed?.fields });
  assert.ok(after);
  assert.equal(storedSecret(after), renewed?.accessToken);
  assert.equal(renewed?.expiresAt, start + 5000 + 900_000);
});

test('a pool hears of the end of a login as LoginLost, and of all else as it is', async () => {
  await using world = await setUp();
  const refresh = refreshLoginOf('nous', world.context);
  const entry = parseEntry({ id: 'n', access_token: 'old', refresh_token: 'unknown-token' });
  assert.ok(entry && refresh);
  const lost = await failureOf(world.server, refresh(entry, never));
  assert.ok(lost instanceof LoginLost);
  assert.match(lost.hint ?? '', /hermes auth add nous/);
  world.server.answerInstead('/api/oauth/token', { status: 500, body: {} });
  assert.ok(!((await failureOf(world.server, refresh(entry, never))) instanceof LoginLost));
  assert.equal(refreshLoginOf('openrouter', world.context), undefined);
});
