/** What becomes of a stored login: renewed once for all, lost, widened, and never sent where it does not belong. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { test } from 'node:test';
import { startJsonServer } from '../../fakes/json-server.ts';
import { openServers } from '../support.ts';
import { guarded } from './support.ts';

test('a login that has ended is renewed once, however many processes need it at the same time', async (t) => {
  const place = await guarded(t);
  await place.logIn();
  const first = place.stored();
  writeFileSync(place.tokensPath, JSON.stringify({ ...first, expires_at: 1 }));
  const homePath = place.home.path;
  const opened = await Promise.all([1, 2, 3].map(() => openServers(t, { s: place.entry }, { homePath })));
  const answers = await Promise.all(opened.map((one) => one.ask('mcp__s__echo')));
  assert.deepEqual(
    answers,
    [1, 2, 3].map(() => ({ result: 'let in' })),
  );
  assert.equal(place.server.asked('refresh_token'), 1);
  const { access_token, refresh_token, scope } = place.stored();
  assert.notEqual(access_token, first['access_token']);
  assert.notEqual(refresh_token, first['refresh_token']);
  assert.equal(scope, 'read');
});

test('a token that the server takes no more is renewed in the middle of a conversation', async (t) => {
  const place = await guarded(t);
  await place.logIn();
  const opened = await openServers(t, { s: place.entry }, { homePath: place.home.path });
  place.server.accessTokens.clear();
  assert.deepEqual(await opened.ask('mcp__s__echo'), { result: 'let in' });
  assert.equal(place.server.asked('refresh_token'), 1);
});

test('a login that was revoked is told to the model once, and a dead token is tried by nobody again', async (t) => {
  const place = await guarded(t);
  await place.logIn();
  const opened = await openServers(t, { s: place.entry }, { homePath: place.home.path });
  place.server.revokeAll();
  const told = await opened.ask('mcp__s__echo');
  assert.equal(told['needs_reauth'], true);
  assert.match(
    String(told['error']),
    /its login has ended \(invalid_grant: .*hermes mcp login s\. Do not call this tool/,
  );
  for (const secret of place.server.secrets) assert.ok(!JSON.stringify([told, opened.logged]).includes(secret));
  await opened.ask('mcp__s__echo');
  assert.equal(place.server.asked('refresh_token'), 1);
  await place.logIn();
  assert.deepEqual(await opened.ask('mcp__s__echo'), { result: 'let in' });
});

test('without a login a start asks nothing of the server and says what to do', async (t) => {
  const place = await guarded(t);
  const opened = await openServers(t, { s: place.entry });
  const [report] = opened.servers.list();
  assert.equal(report?.state, 'failed');
  assert.equal(report.problem, "MCP server 's': nobody has logged in to it; log in with: hermes mcp login s");
  assert.equal(place.server.requests.length, 0);
});

test('tokens stay with the address that they were made for', async (t) => {
  const place = await guarded(t);
  await place.logIn();
  await using other = await startJsonServer();
  const opened = await openServers(
    t,
    { s: { ...place.entry, url: `${other.url}/mcp` } },
    { homePath: place.home.path },
  );
  assert.match(opened.servers.list()[0]?.problem ?? '', /its login was made for .*, and not for where it is now/);
  assert.equal(other.requests.length, 0);
});

test('a refresh token goes to nobody but who gave it', async (t) => {
  const place = await guarded(t);
  await place.logIn();
  const tokens = { ...place.stored(), expires_at: 1, issuer: 'https://before.example' };
  writeFileSync(place.tokensPath, JSON.stringify(tokens));
  const opened = await openServers(t, { s: place.entry }, { homePath: place.home.path });
  assert.match(opened.servers.list()[0]?.problem ?? '', /was granted by https:\/\/before\.example, and now it names/);
  assert.equal(place.server.asked('refresh_token'), 0);
});

test('files of the original are used: what they do not say is asked', async (t) => {
  const place = await guarded(t);
  await place.logIn();
  const { access_token, refresh_token, token_type } = place.stored();
  writeFileSync(place.tokensPath, JSON.stringify({ access_token, refresh_token, token_type, expires_in: 3600 }));
  utimesSync(place.tokensPath, 1, 1);
  const opened = await openServers(t, { s: place.entry }, { homePath: place.home.path });
  assert.deepEqual(await opened.ask('mcp__s__echo'), { result: 'let in' });
  assert.equal(place.server.asked('refresh_token'), 1);
  assert.equal(place.stored()['server_url'], place.server.mcp);
});

test('as long as a token is good, a renewal that fails stops nobody', async (t) => {
  const place = await guarded(t, { 'POST /token': { status: 503, body: 'down' } });
  const soon = Date.now() / 1000 + 30;
  place.server.accessTokens.set('still-good', { scope: 'read', endsAt: Date.now() + 3_600_000 });
  mkdirSync(`${place.home.path}/mcp-tokens`);
  const tokens = { access_token: 'still-good', refresh_token: 'r', expires_in: 3600, expires_at: soon };
  writeFileSync(place.tokensPath, JSON.stringify(tokens));
  writeFileSync(`${place.home.path}/mcp-tokens/s.client.json`, JSON.stringify({ client_id: 'c' }));
  const opened = await openServers(t, { s: place.entry }, { homePath: place.home.path });
  assert.deepEqual(await opened.ask('mcp__s__echo'), { result: 'let in' });
  assert.ok(opened.logged.some((line) => /could not be renewed yet/.test(line)));
  assert.equal(place.stored()['refresh_token'], 'r');
});

test('a server that wants more rights says so, and the next login asks for them', async (t) => {
  const place = await guarded(t);
  place.server.settings.callScope = 'write';
  await place.logIn();
  const opened = await openServers(t, { s: place.entry }, { homePath: place.home.path });
  const told = await opened.ask('mcp__s__echo');
  assert.match(
    String(told['error']),
    /wants more rights than its login has \(write\); log in with: hermes mcp login s/,
  );
  await place.logIn();
  assert.equal(place.stored()['scope'], 'read write');
  assert.deepEqual(await opened.ask('mcp__s__echo'), { result: 'let in' });
});

test('a client that the owner registered is used as it is, at the port that it names', async (t) => {
  const place = await guarded(t);
  await using taken = await startJsonServer();
  const port = Number(new URL(taken.url).port);
  place.server.settings.hasRegistration = false;
  const redirect = 'https://me.example/back';
  place.server.clients.set('mine', { client_id: 'mine', client_secret: 'hush', redirect_uris: [redirect] });
  const oauth = { client_id: 'mine', client_secret: 'hush', redirect_port: port, redirect_uri: redirect };
  await assert.rejects(place.logIn({}, { oauth }), new RegExp(`port ${port} is taken`));
  const { access_token } = await loginThroughProxy(place, { ...oauth, redirect_port: 0 }, redirect);
  assert.ok(typeof access_token === 'string');
  const client = JSON.parse(readFileSync(place.tokensPath.replace('s.json', 's.client.json'), 'utf8')) as object;
  assert.deepEqual(client, {
    client_id: 'mine',
    client_secret: 'hush',
    client_name: 'Hermes Agent',
    redirect_uris: [redirect],
  });
  writeFileSync(place.tokensPath, JSON.stringify({ ...place.stored(), expires_at: 1 }));
  const opened = await openServers(t, { s: { ...place.entry, oauth } }, { homePath: place.home.path });
  assert.deepEqual(await opened.ask('mcp__s__echo'), { result: 'let in' });
  assert.equal(existsSync(place.tokensPath), true);
});

/** The browser goes to a proxy, which brings it to the port that this program listens on. */
async function loginThroughProxy(place: Awaited<ReturnType<typeof guarded>>, oauth: object, redirect: string) {
  let listener = '';
  let address = '';
  await place.logIn(
    {
      status(line) {
        listener = /callback on (\S+)/.exec(line)?.[1] ?? listener;
        address = /http:\S+\/authorize\S+/.exec(line)?.[0] ?? address;
        if (listener === '') return;
        const host = new URL(redirect).host;
        void place.server.agree(address).then((back) => {
          const path = `/another/path${back.search}`;
          request({ port: new URL(listener).port, host: '127.0.0.1', path, headers: { host } }).end();
        });
      },
      openBrowser: () => Promise.resolve(false),
    },
    { oauth },
  );
  return place.stored();
}
