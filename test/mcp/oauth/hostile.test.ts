/** A server says itself who grants access to it: what it may not lead to. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { test } from 'node:test';
import { authFetch } from '../../../src/mcp/oauth/auth-fetch.ts';
import { startJsonServer } from '../../fakes/json-server.ts';
import { guarded } from './support.ts';

test('documents that name somebody else are refused, and no browser is opened', async (t) => {
  const place = await guarded(t);
  const { settings } = place.server;
  const refused = async (change: Partial<typeof settings>, why: RegExp): Promise<void> => {
    const before = { authorizationServer: undefined, ...settings };
    Object.assign(settings, change);
    const opened: string[] = [];
    const openBrowser = async (url: string): Promise<boolean> => opened.push(url) > 0;
    await assert.rejects(place.logIn({ openBrowser }), (error: Error) => {
      assert.match(error.message, why);
      return true;
    });
    assert.deepEqual(opened, []);
    Object.assign(settings, before);
  };
  await refused({ resourceMetadata: { resource: 'https://bank.example/mcp' } }, /asks for a login to https:\/\/bank/);
  await refused({ metadata: { issuer: 'https://evil.example' } }, /cannot be found: .*[Ii]ssuer/);
  await refused(
    { authorizationServer: 'http://grants.example' },
    /login at http:\/\/grants\.example, which is no https/,
  );
  await refused(
    { metadata: { token_endpoint: 'http://t.example/token' } },
    /http:\/\/t\.example\/token, which is no https/,
  );
  await refused({ metadata: { registration_endpoint: 'http://r.example' } }, /which is no https/);
  await refused({ metadata: { authorization_endpoint: 'javascript:alert(1)' } }, /cannot be found/);
  await refused({ metadata: { authorization_endpoint: 'https://a:b@c.example/' } }, /which is no https address/);
  await refused({ metadata: { padding: 'x'.repeat(300_000) } }, /sends more than a login has to say/);
  await refused({ metadata: { code_challenge_methods_supported: ['plain'] } }, /S256/);
  assert.equal(existsSync(place.tokensPath), false);
});

test('a code is not sent after a redirect to another host', async (t) => {
  await using other = await startJsonServer();
  const place = await guarded(t, {
    'POST /token': { status: 307, headers: { location: `${other.url}/token` }, body: '' },
  });
  await assert.rejects(place.logIn(), /the login was not granted/);
  assert.equal(other.requests.length, 0);
});

test('a server on the internet leads nowhere into the network around this machine', async (t) => {
  await using inside = await startJsonServer({ 'GET /': { body: {} } });
  const addresses: Record<string, string> = { 'far.example': '93.184.215.14', 'inner.example': '127.0.0.1' };
  const lookup: LookupFunction = (name, _options, callback) =>
    callback(null, [{ address: addresses[name] ?? '93.184.215.15', family: 4 }]);
  const asking = (url: string) =>
    authFetch(
      {
        name: 's',
        reach: { kind: 'http', url, headers: {}, looksFirst: true, verify: true },
        network: { lookup },
      },
      t.signal,
    );
  const { port } = new URL(inside.url);
  const fromOutside = asking('https://far.example/mcp');
  for (const address of [
    inside.url,
    `https://inner.example:${port}/`,
    'https://169.254.169.254/',
    'https://10.1.2.3/',
  ]) {
    await assert.rejects(async () => await fromOutside(address), /MCP server 's' leads to \S+: /);
  }
  assert.equal(inside.requests.length, 0);
  const fromInside = asking('http://127.0.0.2:9/mcp');
  assert.equal((await fromInside(inside.url)).status, 200);
  await assert.rejects(async () => await fromInside('https://169.254.169.254/'), /metadata services are never read/);
});

test('an old server without any documents grants by itself, and one that asks for no login is told from it', async (t) => {
  const place = await guarded(t);
  Object.assign(place.server.settings, { hasResourceMetadata: false, hasMetadata: false, iss: undefined });
  await place.logIn();
  assert.ok(existsSync(place.tokensPath));
  const issuer = `${place.server.url}/oauth`;
  Object.assign(place.server.settings, { hasMetadata: true, metadata: { issuer }, iss: issuer });
  await place.logIn();
  assert.equal(place.stored()['issuer'], issuer);
  Object.assign(place.server.settings, { hasMetadata: false });
  place.server.settings.isOpen = true;
  await assert.rejects(place.logIn(), /asks for no login/);
});

test('what a service says is shown in one line without control characters and secrets', async (t) => {
  const place = await guarded(t, {
    'POST /register': { status: 400, body: { error: 'invalid_client_metadata', error_description: 'no\u001b[2J\nno' } },
  });
  await assert.rejects(place.logIn(), (error: Error) => {
    assert.match(error.message, /did not register this program/);
    assert.doesNotMatch(error.message, /[\u0000-\u001f]/);
    return true;
  });
});
