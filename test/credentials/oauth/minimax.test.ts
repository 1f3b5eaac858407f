/** The login of MiniMax. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefreshError } from '../../../src/credentials/oauth/login.ts';
import { failureOf, never, options, setUp, start, surface } from './surface.ts';

const own = { HERMES_MINIMAX_CLIENT_ID: 'own-client' };

test('a login proves with PKCE that it began it, and gets tokens when the code is confirmed', async () => {
  await using world = await setUp(own);
  world.server.settings.steps = ['pending', 'slow_down', 'pending', 'agreed'];
  const { shown, opened, prompt } = surface();
  const tokens = await (await world.open('minimax-oauth')).start(options(prompt));
  const url = 'https://platform.minimax.io/oauth-authorize?user_code=MM-1234';
  assert.deepEqual(shown, [{ url, userCode: 'MM-1234', expiresInSeconds: 600 }]);
  assert.deepEqual(opened, [url]);
  assert.match(tokens.accessToken, /^access-hidden/);
  assert.match(tokens.refreshToken ?? '', /^refresh-hidden/);
  assert.equal(tokens.expiresAt, 1_800_007_200);
  assert.deepEqual(world.waits, [3000, 3000, 8000, 8000]);
  assert.equal(world.server.requests[0]?.fields['scope'], 'group_id profile model.completion');
  assert.ok(world.server.requests.every(({ fields }) => fields['client_id'] === 'own-client'));
});

test('the end of a token may be told in three ways', async () => {
  await using world = await setUp(own);
  const login = await world.open('minimax-oauth');
  for (const expiredIn of [1_800_007_200_000, 1_800_007_200, 7200]) {
    world.server.settings.tokenAnswer = { expired_in: expiredIn };
    world.clock.at = start;
    const { expiresAt } = await login.refresh({ accessToken: 'a', refreshToken: world.server.refreshToken() }, never);
    assert.equal(expiresAt, 1_800_007_200, String(expiredIn));
  }
});

test('an answer that belongs to another login is not shown', async () => {
  await using world = await setUp(own);
  world.server.settings.deviceAnswer = { state: 'another' };
  const { shown, prompt } = surface();
  const error = await failureOf(world.server, (await world.open('minimax-oauth')).start(options(prompt)));
  assert.match(error.message, /the state of another login/);
  assert.deepEqual(shown, []);
});

test('refusals and codes that have expired end the login', async () => {
  await using world = await setUp(own);
  const login = await world.open('minimax-oauth');
  world.server.settings.steps = ['denied'];
  assert.match((await failureOf(world.server, login.start(options()))).message, /refused.*login denied/);
  world.server.settings.steps = ['pending'];
  assert.match((await failureOf(world.server, login.start(options()))).message, /not confirmed in time/);
  assert.ok(world.clock.at <= 1_800_000_600_000);
});

test('a refresh token that was revoked is the end, an answer of status "error" is not', async () => {
  await using world = await setUp(own);
  const login = await world.open('minimax-oauth');
  const ended = await failureOf(world.server, login.refresh({ accessToken: 'a', refreshToken: 'gone' }, never));
  assert.ok(ended instanceof RefreshError && ended.terminal);
  world.server.answerInstead('/oauth2/token', { body: { status: 'error', base_resp: { status_msg: 'try later' } } });
  const passing = await failureOf(world.server, login.refresh({ accessToken: 'a', refreshToken: 'good' }, never));
  assert.ok(passing instanceof RefreshError && !passing.terminal);
  assert.match(passing.message, /try later/);
});

test('nobody is asked in the name of another program', async () => {
  await using world = await setUp();
  for (const [provider, words] of [
    ['minimax-oauth', /MINIMAX_API_KEY.*HERMES_MINIMAX_CLIENT_ID/],
    ['xai-oauth', /XAI_API_KEY.*HERMES_XAI_CLIENT_ID/],
  ] as const) {
    const error = await failureOf(world.server, world.open(provider));
    assert.match(error.message, /needs an OAuth client id/);
    assert.match(error.hint ?? '', words);
  }
});
