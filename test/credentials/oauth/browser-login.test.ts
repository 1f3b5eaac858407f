/** Logins in a browser that comes back to this machine, and what a person pastes when it cannot. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { RefreshError } from '../../../src/credentials/oauth/login.ts';
import { type BrowserFlow, browserLogin } from '../../../src/credentials/oauth/pkce-loopback.ts';
import { createWire } from '../../../src/credentials/oauth/wire.ts';
import { failureOf, never, options, setUp, start, surface } from './surface.ts';

type World = Awaited<ReturnType<typeof setUp>>;
const own = { HERMES_XAI_CLIENT_ID: 'own-client' };

/** xAI's login on a port that is free. */
function flowOf(world: World, more: { wait?: 'at once'; port?: number } = {}): BrowserFlow {
  const wait = async (_milliseconds: number, signal: AbortSignal) =>
    await new Promise<void>((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const { wait: atOnce, ...context } = world.context;
  return {
    provider: 'xai-oauth',
    wire: createWire('xAI', { ...context, wait: more.wait === 'at once' && atOnce ? atOnce : wait }),
    issuer: 'https://auth.x.ai',
    authorizationEndpoint: 'https://auth.x.ai/oauth2/authorize',
    tokenEndpoint: 'https://auth.x.ai/oauth2/token',
    scope: 'openid offline_access',
    clientId: 'own-client',
    redirect: { port: more.port ?? 0, path: '/callback', origins: ['https://accounts.x.ai'] },
  };
}

/** A person whose browser does with the address what `visit` says. */
function browser(visit: (url: string) => unknown) {
  return surface({
    openBrowser: async (url) => {
      void Promise.resolve(visit(url)).catch(() => undefined);
      return true;
    },
  });
}

async function get(url: URL | string, headers: Record<string, string> = {}, method = 'GET') {
  const { hostname, port, pathname, search } = new URL(url);
  const asked = request({ hostname, port, path: `${pathname}${search}`, headers, method, agent: false });
  asked.end();
  const [response] = await once(asked, 'response');
  let body = '';
  for await (const piece of response) body += String(piece);
  return { status: Number(response.statusCode), headers: response.headers, body };
}

test('the browser comes back with a code, which is exchanged with its verifier', async () => {
  await using world = await setUp();
  const visits: ReturnType<typeof get>[] = [];
  const { lines, prompt } = browser((url) => visits.push(get(world.server.agree(url))));
  const { tokens } = await browserLogin(flowOf(world), options(prompt));
  assert.match(tokens.accessToken, /^access-hidden/);
  assert.match(tokens.refreshToken ?? '', /^refresh-hidden/);
  assert.equal(tokens.expiresAt, start / 1000 + 21_600);
  const url = new URL(lines[0]?.split('\n')[1] ?? '');
  const asked = Object.fromEntries(url.searchParams);
  assert.deepEqual(Object.keys(asked).sort(), [
    'client_id',
    'code_challenge',
    'code_challenge_method',
    'redirect_uri',
    'response_type',
    'scope',
    'state',
  ]);
  assert.equal(asked['code_challenge_method'], 'S256');
  assert.match(asked['redirect_uri'] ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  assert.deepEqual(lines.slice(1), [`Waiting for callback on ${asked['redirect_uri']}`]);
  const page = await visits[0];
  assert.equal(page?.status, 200);
  assert.match(page?.body ?? '', /You can close this window/);
  assert.equal(page?.headers['content-security-policy'], "default-src 'none'");
  await assert.rejects(fetch(asked['redirect_uri'] ?? ''), 'nobody listens any more');
});

test('an answer with another state is refused, and nothing is exchanged', async () => {
  await using world = await setUp();
  const visits: ReturnType<typeof get>[] = [];
  const { prompt } = browser((url) => {
    const back = world.server.agree(url);
    back.searchParams.set('state', 'guessed');
    visits.push(get(back));
  });
  const error = await failureOf(world.server, browserLogin(flowOf(world), options(prompt)));
  assert.match(error.message, /does not belong to this login/);
  assert.equal((await visits[0])?.status, 400);
  assert.equal(world.server.requests.length, 0);
});

test('an answer that names another issuer, or no state, is refused', async () => {
  await using world = await setUp();
  for (const change of [
    (back: URL) => back.searchParams.set('iss', 'https://evil.test'),
    (back: URL) => back.searchParams.delete('state'),
    (back: URL) => back.searchParams.append('state', 'twice'),
  ]) {
    const { prompt } = browser(async (url) => {
      const back = world.server.agree(url);
      change(back);
      await get(back);
    });
    const error = await failureOf(world.server, browserLogin(flowOf(world), options(prompt)));
    assert.match(error.message, /does not belong to this login/);
  }
  assert.equal(world.server.requests.length, 0);
});

test('a login that is declined in the browser says so there and here', async () => {
  await using world = await setUp();
  for (const [error, words] of [
    ['access_denied', /the login was declined/],
    ['invalid_scope', /refused .*invalid_scope: not you/],
  ] as const) {
    const visits: ReturnType<typeof get>[] = [];
    const { prompt } = browser((url) => {
      const back = world.server.agree(url);
      back.searchParams.delete('code');
      back.searchParams.set('error', error);
      back.searchParams.set('error_description', 'not you');
      visits.push(get(back));
    });
    assert.match((await failureOf(world.server, browserLogin(flowOf(world), options(prompt)))).message, words);
    assert.match((await visits[0])?.body ?? '', /was refused/);
  }
});

test('only the one address is answered, to the one name, and nothing that was sent comes back', async () => {
  await using world = await setUp();
  const seen: number[] = [];
  const { prompt } = browser(async (url) => {
    const back = world.server.agree(url);
    const port = back.port;
    const rebound = await get(back, { host: `evil.test:${port}` });
    assert.doesNotMatch(rebound.body, /hidden|evil/);
    seen.push(rebound.status);
    seen.push((await get(back, { host: '127.0.0.1:1' })).status);
    seen.push((await get(`http://127.0.0.1:${port}/`)).status);
    seen.push((await get(`http://127.0.0.1:${port}/callback/more?code=x`)).status);
    seen.push((await get(`http://127.0.0.1:${port}/callback?<script>`)).status);
    seen.push((await get(back, {}, 'POST')).status);
    seen.push((await get(back, { host: `localhost:${port}` })).status);
  });
  await browserLogin(flowOf(world), options(prompt));
  assert.deepEqual(seen.slice(0, 6), [403, 403, 404, 404, 400, 405]);
});

test('the provider’s own page may fetch the address; other pages are not allowed to', async () => {
  await using world = await setUp();
  const allowed: unknown[] = [];
  const { prompt } = browser(async (url) => {
    const back = world.server.agree(url);
    for (const origin of ['https://evil.test', 'https://accounts.x.ai']) {
      const preflight = await get(back, { origin, 'access-control-request-method': 'GET' }, 'OPTIONS');
      allowed.push(preflight.status, preflight.headers['access-control-allow-origin']);
    }
    await get(back, { origin: 'https://accounts.x.ai' });
  });
  await browserLogin(flowOf(world), options(prompt));
  assert.deepEqual(allowed, [204, undefined, 204, 'https://accounts.x.ai']);
});

test('a port that is taken is no end: the person pastes the address', async () => {
  await using world = await setUp();
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  let asked = '';
  const { lines, prompt } = surface({
    openBrowser: async (url) => {
      asked = url;
      return true;
    },
    askForPaste: async () => world.server.agree(asked).href,
  });
  const { tokens } = await browserLogin(flowOf(world, { port }), options(prompt));
  other.close();
  assert.match(tokens.accessToken, /^access-hidden/);
  assert.match(lines[0] ?? '', new RegExp(`Port ${port} is taken`));
  assert.equal(new URL(asked).searchParams.get('redirect_uri'), `http://127.0.0.1:${port}/callback`);
});

test('xAI by hand: nothing listens, and the address, its query, code#state or the code may be pasted', async () => {
  await using world = await setUp(own);
  const { wait: _wait, ...context } = world.context;
  const { xaiLogin } = await import('../../../src/credentials/oauth/xai.ts');
  for (const form of [
    (back: URL) => back.href,
    (back: URL) => `  "${back.href}"\n`,
    (back: URL) => back.search,
    (back: URL) => back.search.slice(1),
    (back: URL) => `${back.searchParams.get('code')}#${back.searchParams.get('state')}`,
    (back: URL) => ` ${back.searchParams.get('code')} `,
  ]) {
    const { lines, opened, prompt } = surface({
      askForPaste: async () => form(world.server.agree(lines[0]?.split('\n')[1] ?? '')),
    });
    const tokens = await xaiLogin(context).start(options(prompt, { manualPaste: true }));
    assert.match(tokens.accessToken, /^access-hidden/);
    assert.deepEqual([opened.length, lines.length], [0, 1]);
    const { searchParams, host } = new URL(lines[0]?.split('\n')[1] ?? '');
    assert.equal(host, 'auth.x.ai');
    assert.equal(searchParams.get('redirect_uri'), 'http://127.0.0.1:56121/callback');
    assert.equal(searchParams.get('scope'), 'openid profile email offline_access api:access');
  }
});

test('what is pasted has to belong to this login', async () => {
  await using world = await setUp();
  const flow = flowOf(world);
  for (const [text, words] of [
    ['http://127.0.0.1:1/callback?code=abc&state=other', /does not belong/],
    ['http://127.0.0.1:1/callback?code=abc', /does not belong/],
    ['abc#other', /does not belong/],
    ['I pressed the button', /holds no code/],
    ['', /holds no code/],
    ['another-code', /refused .*invalid_grant: bad code/],
  ] as const) {
    const { prompt } = surface({ askForPaste: async () => text });
    const login = browserLogin(
      { ...flow, redirect: { ...flow.redirect, port: 56121 } },
      options(prompt, { manualPaste: true }),
    );
    assert.match((await failureOf(world.server, login)).message, words);
  }
});

test('without a browser both ways are open, and the first that answers ends the other', async () => {
  await using world = await setUp();
  let given: AbortSignal | undefined;
  const { lines, prompt } = surface({
    openBrowser: async () => false,
    askForPaste: async (_message, signal) => {
      given = signal;
      void get(world.server.agree(lines[0]?.split('\n')[1] ?? ''));
      return await new Promise<string>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    },
  });
  const { tokens } = await browserLogin(flowOf(world), options(prompt));
  assert.match(tokens.accessToken, /^access-hidden/);
  assert.equal(given?.aborted, true);
});

test('a login that nobody finishes ends after five minutes', async () => {
  await using world = await setUp();
  const error = await failureOf(world.server, browserLogin(flowOf(world, { wait: 'at once' }), options()));
  assert.match(error.message, /not finished within five minutes/);
  assert.deepEqual(world.waits, [300_000]);
});

test('an abort ends a login that waits, and closes its listener', async () => {
  await using world = await setUp();
  const stop = new AbortController();
  const { lines, prompt } = browser(() => setImmediate(() => stop.abort(new Error('enough'))));
  const error = await failureOf(world.server, browserLogin(flowOf(world), options(prompt, { signal: stop.signal })));
  assert.equal(error.message, 'enough');
  const redirect = new URL(lines[0]?.split('\n')[1] ?? '').searchParams.get('redirect_uri') ?? '';
  await assert.rejects(fetch(redirect));
});

test('xAI renews a login, or says that it is over', async () => {
  await using world = await setUp(own);
  const login = await world.open('xai-oauth');
  const old = { accessToken: 'old', refreshToken: world.server.refreshToken() };
  const renewed = await login.refresh(old, never);
  assert.match(renewed.accessToken, /^access-hidden/);
  const ended = await failureOf(world.server, login.refresh(old, never));
  assert.ok(ended instanceof RefreshError && ended.terminal);
  // A subscription that xAI does not let in: logging in again would not help.
  world.server.answerInstead('/oauth2/token', {
    status: 403,
    body: { code: 'permission-denied', error: 'The caller does not have permission' },
  });
  const barred = await failureOf(world.server, login.refresh(renewed, never));
  assert.ok(barred instanceof RefreshError && !barred.terminal);
  assert.match(barred.message, /HTTP 403.*does not have permission/);
});
