/** Logging in to a server: found, registered, agreed to in a browser, stored. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openServers } from '../support.ts';
import { guarded, throughBrowser } from './support.ts';

test('a login registers, comes back through the browser, and is stored for this user alone', async (t) => {
  const place = await guarded(t);
  const { probed, lines } = await place.logIn();
  assert.deepEqual(
    probed.tools.map(({ name }) => name),
    ['echo'],
  );
  assert.match(lines[0] ?? '', /^Open this address to log in:\nhttp:\/\/127\.0\.0\.1:\d+\/authorize\?/);
  assert.match(lines[1] ?? '', /^Waiting for callback on http:\/\/127\.0\.0\.1:\d+\/callback$/);
  const { access_token, refresh_token, token_type, scope, expires_in, server_url } = place.stored();
  assert.deepEqual([token_type, scope, expires_in, server_url], ['Bearer', 'read', 3600, place.server.mcp]);
  assert.ok(place.server.accessTokens.has(String(access_token)) && typeof refresh_token === 'string');
  const directory = dirname(place.tokensPath);
  const modes = readdirSync(directory).map((name) => [
    name,
    (statSync(join(directory, name)).mode & 0o777).toString(8),
  ]);
  assert.deepEqual(
    modes.filter(([name]) => name?.endsWith('.json')),
    [
      ['s.client.json', '600'],
      ['s.json', '600'],
      ['s.meta.json', '600'],
    ],
  );
  assert.equal((statSync(directory).mode & 0o777).toString(8), '700');
  const registered = [...place.server.clients.values()][0];
  assert.match(registered?.redirect_uris[0] ?? '', /^http:\/\/127\.0\.0\.1:[1-9]\d*\/callback$/);
});

test('the address on which the browser ended can be pasted, and a second start asks nobody', async (t) => {
  const place = await guarded(t);
  // Who names no issuer in the answer does not say that it does.
  place.server.settings.metadata = { authorization_response_iss_parameter_supported: false };
  let address = '';
  await place.logIn({
    openBrowser: () => Promise.resolve(false),
    status: (line) => {
      address = /http:\S+\/authorize\S+/.exec(line)?.[0] ?? address;
    },
    askForPaste: async () => {
      const { searchParams } = await place.server.agree(address);
      return `?code=${searchParams.get('code')}&state=${searchParams.get('state')}`;
    },
  });
  assert.equal((statSync(place.tokensPath).mode & 0o777).toString(8), '600');
  const opened = await openServers(t, { s: place.entry }, { homePath: place.home.path });
  assert.deepEqual(await opened.ask('mcp__s__echo'), { result: 'let in' });
});

test('an answer with another state, or from another issuer, is refused and nothing is stored', async (t) => {
  const place = await guarded(t);
  const changed = (key: string, value: string) => ({
    openBrowser: throughBrowser(place.server, (back) => {
      back.searchParams.set(key, value);
      return back;
    }),
  });
  await assert.rejects(place.logIn(changed('state', 'other')), /does not belong to this login \(its state/);
  const pasting = {
    openBrowser: () => Promise.resolve(false),
    askForPaste: () => Promise.resolve('?code=c&state=other'),
  };
  await assert.rejects(place.logIn(pasting), /does not belong to this login \(its state/);
  await assert.rejects(place.logIn(changed('iss', 'https://evil.example')), /was not granted: .*iss/i);
  await assert.rejects(
    place.logIn({
      openBrowser: throughBrowser(place.server, (back) => {
        back.searchParams.delete('code');
        back.searchParams.set('error', 'access_denied');
        return back;
      }),
    }),
    /the login was refused: access_denied/,
  );
  assert.equal(existsSync(place.tokensPath), false);
  assert.equal(place.server.asked('authorization_code'), 0);
});

test('a server that asks for a login, and whose entry has none, is told as that', async (t) => {
  const place = await guarded(t);
  const opened = await openServers(
    t,
    { s: { url: place.server.mcp } },
    { waits: { retry: [1], revive: 60_000, steady: 1, call: 1, wake: 1, relist: 5 } },
  );
  assert.match(opened.servers.list()[0]?.problem ?? '', /it asks for a login: set auth: oauth in its entry/);
});
