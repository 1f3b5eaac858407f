/** The login of ChatGPT for Codex, and the login taken over from the Codex program. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { importCodexLogin } from '../../../src/credentials/oauth/codex-import.ts';
import { RefreshError } from '../../../src/credentials/oauth/login.ts';
import { failureOf, never, options, setUp, surface } from './surface.ts';

test('a login polls through 403 and 404, exchanges the code and learns the account', async () => {
  await using world = await setUp();
  world.server.settings.steps = ['pending', 'slow_down', 'agreed'];
  const { shown, opened, prompt } = surface();
  const tokens = await (await world.open('openai-codex')).start(options(prompt));
  assert.deepEqual(shown, [
    { url: 'https://auth.openai.com/codex/device', userCode: 'ABCD-12345', expiresInSeconds: 900 },
  ]);
  assert.deepEqual(opened, ['https://auth.openai.com/codex/device']);
  assert.deepEqual(tokens.extra, { account_id: 'account-1' });
  assert.equal(tokens.expiresAt, 2_000_000_000);
  assert.ok(tokens.refreshToken);
  assert.deepEqual(world.waits, [5000, 5000, 5000]);
  const paths = world.server.requests.map(({ path }) => path.split('/').at(-1));
  assert.deepEqual(paths, ['usercode', 'token', 'token', 'token', 'token']);
  assert.deepEqual(world.server.requests[0]?.fields, { client_id: 'app_EMoamEEZ73f0CkXaXp7hrann' });
  for (const { headers } of world.server.requests) {
    assert.equal(headers['user-agent'], 'hermes-agent');
    assert.equal(headers['originator'], undefined);
  }
});

test('the client is the user’s to choose', async () => {
  await using world = await setUp({ HERMES_CODEX_CLIENT_ID: 'app_mine' });
  await (await world.open('openai-codex')).start(options());
  assert.deepEqual(
    [world.server.requests[0]?.fields['client_id'], world.server.requests.at(-1)?.fields['client_id']],
    ['app_mine', 'app_mine'],
  );
  await using other = await setUp({ HERMES_CODEX_CLIENT_ID: 'not an id' });
  assert.match(
    (await failureOf(other.server, other.open('openai-codex'))).message,
    /HERMES_CODEX_CLIENT_ID is not a client id/,
  );
});

test('OpenAI is asked every three seconds at most, for a quarter of an hour', async () => {
  await using world = await setUp();
  world.server.settings.steps = ['pending'];
  world.server.settings.deviceAnswer = { interval: '1' };
  const error = await failureOf(world.server, (await world.open('openai-codex')).start(options()));
  assert.match(error.message, /not confirmed in time/);
  assert.deepEqual(new Set(world.waits), new Set([3000]));
  assert.equal(world.waits.length, 300);
});

test('an account without logins by code is told what to switch on', async () => {
  await using world = await setUp();
  world.server.answerInstead('/api/accounts/deviceauth/usercode', { status: 404, body: {} });
  const error = await failureOf(world.server, (await world.open('openai-codex')).start(options()));
  assert.match(`${error.message} ${error.hint}`, /does not offer logins by code.*security settings.*OPENAI_API_KEY/);
});

test('answers without a code, and refusals that are no "not yet", end the login', async () => {
  await using world = await setUp();
  const login = await world.open('openai-codex');
  world.server.answerInstead('/api/accounts/deviceauth/usercode', { body: { device_auth_id: 'x' } });
  assert.match((await failureOf(world.server, login.start(options()))).message, /no code to show/);
  world.server.answerInstead('/api/accounts/deviceauth/token', { body: { authorization_code: 7 } });
  assert.match((await failureOf(world.server, login.start(options()))).message, /neither a code nor a refusal/);
  world.server.settings.steps = ['denied'];
  assert.match((await failureOf(world.server, login.start(options()))).message, /declined/);
});

test('a refresh keeps what is not given anew, and ends with a login that was used elsewhere', async () => {
  await using world = await setUp();
  const login = await world.open('openai-codex');
  const old = {
    accessToken: 'old-access',
    refreshToken: world.server.refreshToken(),
    scope: 'openid',
    extra: { account_id: 'before' },
  };
  world.server.settings.tokenAnswer = { refresh_token: null, id_token: null };
  const renewed = await login.refresh(old, never);
  assert.deepEqual(
    [renewed.refreshToken, renewed.scope, renewed.extra],
    [old.refreshToken, 'openid', { account_id: 'before' }],
  );
  const ended = await failureOf(world.server, login.refresh(old, never));
  assert.ok(ended instanceof RefreshError && ended.terminal);
  assert.match(`${ended.message} ${ended.hint}`, /refresh_token_reused: It was used before\. Log in again/);
  assert.equal(world.server.requests.length, 2);
  world.server.answerInstead(
    '/oauth/token',
    { status: 400, body: { error: 'invalid_grant' } },
    { status: 500, body: { error: 'invalid_grant' } },
  );
  assert.deepEqual(
    [
      await failureOf(world.server, login.refresh(old, never)),
      await failureOf(world.server, login.refresh(old, never)),
    ].map((error) => error instanceof RefreshError && error.terminal),
    [true, false],
  );
});

test('the login of the Codex program is read when asked for, and its file stays as it is', async (t) => {
  await using world = await setUp();
  const directory = mkdtempSync(join(tmpdir(), 'codex-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'auth.json');
  assert.equal(await importCodexLogin(path), undefined);
  const access = world.server.jwt({
    exp: 1_900_000_000,
    'https://api.openai.com/auth': { chatgpt_account_id: 'from-token' },
  });
  const text = JSON.stringify({
    OPENAI_API_KEY: null,
    tokens: { access_token: access, refresh_token: 'r', id_token: 'no.jwt' },
    last_refresh: 'x',
  });
  writeFileSync(path, text);
  assert.deepEqual(await importCodexLogin(path), {
    accessToken: access,
    refreshToken: 'r',
    expiresAt: 1_900_000_000,
    extra: { account_id: 'from-token' },
  });
  assert.equal(readFileSync(path, 'utf8'), text);
  for (const damaged of ['{"tokens": {"access_token": "tok-hidden', '{"OPENAI_API_KEY": "sk-hidden"}', '[]']) {
    writeFileSync(path, damaged);
    const error = await failureOf(world.server, importCodexLogin(path));
    assert.match(error.message, /holds no ChatGPT login/);
    assert.doesNotMatch(error.message, /hidden/);
  }
});
