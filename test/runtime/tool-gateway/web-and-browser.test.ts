/** Searches and browsers through the tool gateway of the vendor, in the formats of Firecrawl and Browser Use. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchOver } from '../../../src/lib/fetch-over.ts';
import { configuredCloud } from '../../../src/runtime/configured-cloud.ts';
import { type Routes } from '../../fakes/json-server.ts';
import { subscribed, directKey, homeWith, sent, noSubscription, toPortal, searched, lent } from './gateway-home.ts';

const firecrawl: Routes = {
  'POST /FIRECRAWL/v2/search': {
    body: { data: { web: [{ title: 'A', url: 'https://a.example', description: 'x' }] } },
  },
  'POST /own/v2/search': { body: { data: { web: [{ title: 'B', url: 'https://b.example', description: 'y' }] } } },
};

test('Firecrawl is asked through the gateway where that is wanted, and the key of the owner stays here', async (t) => {
  const { result, server, token, masked } = await searched(t, {
    claims: {},
    config: { web: { use_gateway: true } },
    env: { FIRECRAWL_API_KEY: directKey, TAVILY_API_KEY: directKey },
    routes: firecrawl,
  });
  assert.equal(result.data.web[0]?.title, 'A');
  assert.deepEqual(server.requests.map(sent), [
    { asked: 'POST /FIRECRAWL/v2/search', key: `Bearer ${token}`, body: { query: 'cats', limit: 5 } },
  ]);
  assert.ok(!JSON.stringify(server.requests).includes(directKey));
  assert.deepEqual(masked, [token]);
});

test('a key of the owner goes before the gateway, and the gateway before what needs no key', async (t) => {
  const direct = await searched(t, {
    claims: subscribed,
    env: { FIRECRAWL_API_KEY: directKey },
    places: { FIRECRAWL_API_URL: '/own' },
    routes: firecrawl,
  });
  assert.equal(direct.result.data.web[0]?.title, 'B');
  assert.equal(direct.server.requests[0]?.headers.authorization, `Bearer ${directKey}`);
  const none = await searched(t, { claims: subscribed, routes: firecrawl });
  assert.equal(none.result.data.web[0]?.title, 'A');
  assert.equal(none.server.requests[0]?.headers.authorization, `Bearer ${none.token}`);
});

test('an expired subscription is told with the address of the portal', async (t) => {
  const { result } = await searched(t, {
    claims: subscribed,
    routes: { 'POST /FIRECRAWL/v2/search': noSubscription },
  });
  assert.match(result.error ?? '', toPortal);
});

test('Browser Use lends a short browser through the gateway, and gets it back', async (t) => {
  const routes: Routes = {
    'POST /BROWSER_USE/browsers': { body: { id: 'b-1', cdpUrl: 'wss://browser.example/1' } },
    'PATCH /BROWSER_USE/browsers/b-1': { body: {} },
  };
  const wanted = { browser: { use_gateway: true } };
  const keys = { BROWSER_USE_API_KEY: directKey, BROWSERBASE_API_KEY: directKey, BROWSERBASE_PROJECT_ID: 'p' };
  const { told, server, token, name } = await lent(t, { claims: {}, config: wanted, env: keys, routes });
  assert.deepEqual([told, name], [undefined, 'Browser Use']);
  assert.deepEqual(server.requests.map(sent), [
    { asked: 'POST /BROWSER_USE/browsers', key: token, body: { timeout: 5, proxyCountryCode: 'us' } },
    { asked: 'PATCH /BROWSER_USE/browsers/b-1', key: token, body: { action: 'stop' } },
  ]);
  const none = await lent(t, { claims: subscribed, routes });
  assert.deepEqual([none.server.requests.length, none.name], [2, 'Browser Use']);
  const over = await lent(t, { claims: subscribed, routes: { 'POST /BROWSER_USE/browsers': noSubscription } });
  assert.match(String(over.told), toPortal);
  const bare = await homeWith(t, { claims: {} });
  assert.equal(configuredCloud(bare.parts, fetchOver({})), undefined);
});
