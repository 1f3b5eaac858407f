/** Logins by a code on another device, as Nous Portal and GitHub speak them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelVariables } from '../../../src/config/model-variables.ts';
import { openLogin } from '../../../src/credentials/oauth/catalogue.ts';
import { RefreshError } from '../../../src/credentials/oauth/login.ts';
import { createWire } from '../../../src/credentials/oauth/wire.ts';
import { startModelServer } from '../../fakes/model-server.ts';
import { failureOf, never, options, setUp, start, surface } from './surface.ts';

const github = { HERMES_COPILOT_CLIENT_ID: 'Ov23-own-app' };

test('a portal login shows the code, opens the browser and gives a token that models accept', async () => {
  await using world = await setUp();
  const { shown, opened, prompt } = surface();
  const tokens = await (await world.open('nous')).start(options(prompt));
  assert.deepEqual(shown, [
    { url: 'https://portal.nousresearch.com/device', userCode: 'WDJB-MJHT', expiresInSeconds: 900 },
  ]);
  assert.deepEqual(opened, ['https://portal.nousresearch.com/device?user_code=WDJB-MJHT']);
  assert.match(tokens.accessToken, /^ey.*signature-hidden$/);
  assert.match(tokens.refreshToken ?? '', /^refresh-hidden/);
  assert.equal(tokens.expiresAt, (start + 5000) / 1000 + 900);
  assert.equal(tokens.scope, 'inference:invoke');
  assert.deepEqual(tokens.extra, {});
  assert.deepEqual(
    world.server.requests.map(({ path }) => path),
    ['/api/oauth/device/code', '/api/oauth/token'],
  );
  assert.deepEqual(world.server.requests[0]?.fields, { client_id: 'hermes-cli', scope: 'inference:invoke' });
});

test('every request says who we are and nothing else', async () => {
  await using world = await setUp();
  await (await world.open('nous')).start(options());
  for (const { headers } of world.server.requests) {
    assert.equal(headers['user-agent'], 'hermes-agent');
    assert.deepEqual([headers['originator'], headers['referer'], headers['origin']], [undefined, undefined, undefined]);
  }
});

test('without a browser nothing is opened, the code is shown all the same', async () => {
  await using world = await setUp();
  const { shown, opened, prompt } = surface();
  await (await world.open('nous')).start(options(prompt, { browser: false }));
  assert.deepEqual([shown.length, opened], [1, []]);
});

test('the service is asked at its own pace, and slower when it wants that', async () => {
  await using world = await setUp();
  world.server.settings.steps = ['pending', 'slow_down', 'pending', 'agreed'];
  await (await world.open('nous')).start(options());
  assert.deepEqual(world.waits, [5000, 5000, 10_000, 10_000]);
});

test('GitHub says "not yet" with status 200, which is no token', async () => {
  await using world = await setUp(github);
  world.server.settings.steps = ['pending', 'slow_down', 'agreed'];
  const { shown, prompt } = surface();
  const tokens = await (await world.open('copilot')).start(options(prompt));
  assert.match(tokens.accessToken, /^gho-hidden/);
  assert.deepEqual([tokens.refreshToken, tokens.expiresAt, tokens.scope], [undefined, undefined, 'read:user']);
  assert.equal(shown[0]?.url, 'https://github.com/login/device');
  assert.deepEqual(world.waits, [5000, 5000, 10_000]);
  assert.equal(world.server.requests[0]?.fields['client_id'], 'Ov23-own-app');
});

test('a token of GitHub that ends is renewed; a refresh token that GitHub does not know is the end', async () => {
  await using world = await setUp(github);
  const login = await world.open('copilot');
  const old = { accessToken: 'ghu_old', refreshToken: world.server.refreshToken() };
  world.server.settings.tokenAnswer = { expires_in: 28_800 };
  const renewed = await login.refresh(old, never);
  assert.match(renewed.accessToken, /^gho-hidden/);
  assert.deepEqual([renewed.refreshToken, renewed.expiresAt], [old.refreshToken, start / 1000 + 28_800]);
  const error = await failureOf(world.server, login.refresh(old, never));
  assert.ok(error instanceof RefreshError && error.terminal);
});

test('Copilot without a client id of one’s own names the other ways in', async () => {
  await using world = await setUp();
  const error = await failureOf(world.server, world.open('copilot'));
  assert.match(`${error.message} ${error.hint}`, /COPILOT_GITHUB_TOKEN.*gh auth login.*HERMES_COPILOT_CLIENT_ID/s);
  assert.equal(world.server.requests.length, 0);
});

for (const provider of ['nous', 'copilot'] as const) {
  test(`a login that the person declines or forgets ends with a sentence (${provider})`, async () => {
    await using world = await setUp(github);
    const login = await world.open(provider);
    world.server.settings.steps = ['pending', 'denied'];
    assert.match((await failureOf(world.server, login.start(options()))).message, /the login was declined/);
    world.server.settings.steps = ['expired'];
    assert.match((await failureOf(world.server, login.start(options()))).message, /not confirmed in time/);
  });
}

test('nobody is waited for after the code has expired', async () => {
  await using world = await setUp();
  world.server.settings.steps = ['pending'];
  world.server.settings.deviceAnswer = { expires_in: 60 };
  assert.match(
    (await failureOf(world.server, (await world.open('nous')).start(options()))).message,
    /not confirmed in time/,
  );
  assert.equal(world.waits.length, 12);
});

test('whatever interval is named, the pace is between a second and a minute', async () => {
  await using world = await setUp();
  for (const [interval, expected] of [
    [0, 5000],
    [null, 5000],
    ['7', 7000],
    [0.001, 1000],
    [3600, 60_000],
  ]) {
    world.waits.length = 0;
    world.server.settings.steps = ['pending', 'agreed'];
    world.server.settings.deviceAnswer = { interval };
    await (await world.open('nous')).start(options());
    assert.deepEqual(world.waits, [expected, expected]);
  }
});

test('trouble on the way is waited out, but not for ever', async () => {
  await using world = await setUp();
  const path = '/api/oauth/token';
  world.server.answerInstead(path, { cut: true }, { status: 503, body: 'busy' }, { status: 429, body: {} });
  await (await world.open('nous')).start(options());
  assert.deepEqual(world.waits, [5000, 10_000, 20_000, 40_000]);
  world.server.answerInstead(path, ...Array.from({ length: 6 }, () => ({ status: 502, body: '<html>' })));
  const error = await failureOf(world.server, (await world.open('nous')).start(options()));
  assert.match(error.message, /HTTP 502/);
});

test('an abort ends the login at once, while waiting and while asking', async () => {
  await using world = await setUp();
  world.server.settings.steps = ['pending'];
  const waiting = new AbortController();
  const { wait: _wait, ...context } = world.context;
  const login = (await openLogin('nous', context)).start(
    options(surface({ status: () => waiting.abort(new Error('enough')) }).prompt, { signal: waiting.signal }),
  );
  assert.equal((await failureOf(world.server, login)).message, 'enough');
  const asking = new AbortController();
  world.server.answerInstead('/api/oauth/device/code', { hang: true });
  const hanging = (await world.open('nous')).start(options(undefined, { signal: asking.signal }));
  asking.abort(new Error('enough of this too'));
  assert.equal((await failureOf(world.server, hanging)).message, 'enough of this too');
});

test('answers that are none are named, and not repeated', async () => {
  await using world = await setUp();
  const login = await world.open('nous');
  const html = { headers: { 'content-type': 'text/html' }, body: '<html>Sign in to the network</html>' };
  const cases = [
    [{ body: '{"device_code": "x' }, /not JSON/],
    [{ body: ['a list'] }, /JSON of an unknown form/],
    [{ body: {} }, /no code to show/],
    [html, /a web page \(HTTP 200\)/],
    [{ ...html, status: 403 }, /a web page \(HTTP 403\)/],
    [{ status: 302, headers: { location: 'https://elsewhere.test/' } }, /a redirect, which is not followed/],
    [{ body: `{"a":"${'x'.repeat(300_000)}"}` }, /more data than expected/],
    [{ cut: true }, /could not be reached/],
  ] as const;
  for (const [answer, problem] of cases) {
    world.server.answerInstead('/api/oauth/device/code', answer);
    const { message } = await failureOf(world.server, login.start(options()));
    assert.match(message, problem);
    assert.match(message, /^Nous Portal: portal\.nousresearch\.com/);
    assert.doesNotMatch(message, /Sign in to the network|xxx/);
  }
  assert.equal(world.server.requests.length, cases.length);
});

test('tokens in an answer of the wrong form do not get into the message', async () => {
  await using world = await setUp();
  for (const body of [
    { access_token: 7, refresh_token: world.server.refreshToken() },
    { access_token: 'a', expires_in: 'soon' },
  ]) {
    world.server.answerInstead('/api/oauth/token', { body });
    const error = await failureOf(world.server, (await world.open('nous')).start(options()));
    assert.match(error.message, /no tokens, or tokens of an unknown form/);
  }
});

test('lifetimes that no date can hold are cut, so that they can be stored', async () => {
  await using world = await setUp();
  const login = await world.open('nous');
  for (const lifetime of [1e300, '99999999999999']) {
    world.server.settings.tokenAnswer = { expires_in: lifetime };
    const { expiresAt = 0 } = await login.start(options());
    assert.ok(new Date(expiresAt * 1000).getUTCFullYear() < 2040);
  }
});

test('a service that does not answer in time is named; every request has a deadline and follows nothing', async () => {
  await using world = await setUp();
  const sent: RequestInit[] = [];
  const fetch = async (_input: unknown, init: RequestInit = {}) => {
    sent.push(init);
    throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  };
  const login = await openLogin('nous', { ...world.context, fetch });
  const error = await failureOf(world.server, login.start(options()));
  assert.match(error.message, /portal\.nousresearch\.com could not be reached: it did not answer in time/);
  assert.ok(sent[0]?.signal instanceof AbortSignal);
  assert.equal(sent[0]?.redirect, 'manual');
});

test('a request of a login takes as long as its variable says, and a minute at most', async () => {
  await using server = await startModelServer({ respond: () => ({ fault: 'hang' }) });
  const variable = 'HERMES_NOUS_TIMEOUT_SECONDS';
  const secondsOf = (value: string) => modelVariables({ [variable]: value }).logins.seconds(variable);
  assert.deepEqual(['0.05', '600', '', '0'].map(secondsOf), [0.05, 60, undefined, undefined]);
  const { logins } = modelVariables({ [variable]: '0.05' });
  const wire = createWire('Nous', { variables: logins }, variable);
  const signal = new AbortController().signal;
  await assert.rejects(wire.postJson(`${server.url}/chat/completions`, {}, { signal }), /did not answer in time/);
});

test('a refusal is quoted in one line, without what was sent and without control characters', async () => {
  await using world = await setUp();
  const description = `\u001b[31mno\nsuch ${'thing '.repeat(100)}`;
  world.server.answerInstead('/api/oauth/device/code', {
    status: 400,
    body: { error: 'invalid_client', error_description: description },
  });
  const { message } = await failureOf(world.server, (await world.open('nous')).start(options()));
  assert.match(message, /refused \(HTTP 400\): invalid_client: \[31mno such thing/);
  assert.ok(message.length < 300 && !/[\u0000-\u001f]/.test(message));
});

test('only encrypted pages are opened', async () => {
  await using world = await setUp();
  for (const uri of ['http://portal.nousresearch.com/device', 'file:///etc/passwd', 'not an address']) {
    const { shown, opened, prompt } = surface();
    world.server.settings.deviceAnswer = { verification_uri_complete: uri };
    const error = await failureOf(world.server, (await world.open('nous')).start(options(prompt)));
    assert.match(error.message, /not https/);
    assert.deepEqual([shown, opened], [[], []]);
  }
});

test('the trace tells steps and codes, and is silent unless it is asked for', async () => {
  await using world = await setUp();
  world.server.settings.steps = ['pending', 'agreed'];
  await (await world.open('nous')).start(options());
  assert.deepEqual(world.trace, [
    'Nous Portal: POST portal.nousresearch.com/api/oauth/device/code -> HTTP 200 after 0 ms',
    'Nous Portal: POST portal.nousresearch.com/api/oauth/token -> HTTP 400 authorization_pending after 0 ms',
    'Nous Portal: POST portal.nousresearch.com/api/oauth/token -> HTTP 200 after 0 ms',
  ]);
  await using quiet = await setUp({ HERMES_OAUTH_TRACE: '0' });
  await (await quiet.open('nous')).start(options());
  assert.deepEqual(quiet.trace, []);
});
