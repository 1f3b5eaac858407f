/** Browsers that a service lends: each is asked in its own format, and gets its browser back. */
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { cloudBrowserVariables } from '../../../src/config/cloud-browser-variables.ts';
import { noLog } from '../../../src/lib/log.ts';
import type { BrowserSessionOptions } from '../../../src/tools/browser/browser-session-options.ts';
import { BrowserSession } from '../../../src/tools/browser/browser-session.ts';
import { BrowserSlots } from '../../../src/tools/browser/browser-slots.ts';
import { chooseCloud } from '../../../src/tools/browser/cloud/catalogue.ts';
import { CloudBackend } from '../../../src/tools/browser/cloud/cloud-backend.ts';
import { NetworkRules } from '../../../src/tools/browser/network-rules.ts';
import { Sidecar } from '../../../src/tools/browser/sidecar.ts';
import { type CloudBrowsers, cloudKey, cloudProject, startCloudBrowsers } from '../../fakes/cloud-browsers.ts';
import { type RunningChromium, startChromium } from './running-chromium.ts';
import { browsing, type BrowsingOptions, localBackend, type Pages, servePages, skip, text } from './support.ts';

let running: RunningChromium;
let pages: Pages;

before(async () => {
  if (skip !== false) return;
  running = await startChromium();
  pages = await servePages({ '/': '<title>One</title><p>Here</p>' });
});

after(async () => {
  if (skip !== false) return;
  await running.close();
  pages.close();
});

const keys = {
  BROWSERBASE_API_KEY: cloudKey,
  BROWSERBASE_PROJECT_ID: cloudProject,
  BROWSER_USE_API_KEY: cloudKey,
};

async function services(
  t: TestContext,
  ...given: Partial<Parameters<typeof startCloudBrowsers>>
): Promise<CloudBrowsers> {
  const [endpoint = running.url, plan] = given;
  const cloud = await startCloudBrowsers(endpoint, plan);
  t.after(() => cloud[Symbol.asyncDispose]());
  return cloud;
}

function lentBy(named: string, { fetch }: CloudBrowsers, env: Record<string, string> = keys): CloudBackend {
  const cloud = cloudBrowserVariables(env);
  const browserUse = { kind: cloud.browserUseKey === undefined ? 'none' : 'direct' } as const;
  const access = { fetch, cloud, browserUse, firecrawl: { key: cloudKey, url: undefined } };
  const entry = chooseCloud(named, access);
  assert.ok(entry !== undefined);
  return new CloudBackend({ entry, access, log: noLog });
}

function browserOf(t: TestContext, backend: CloudBackend, options: BrowsingOptions = {}) {
  const browser = browsing({ allowPrivate: true, ...options, backend: () => Promise.resolve(backend) });
  t.after(() => browser.close());
  return browser;
}

test('every service lends a browser and gets it back, and sees no key but its own', { skip }, async (t) => {
  const cloud = await services(t);
  for (const named of ['browserbase', 'browser-use', 'firecrawl']) {
    const browser = browserOf(t, lentBy(named, cloud));
    const opened = await browser.call('browser_navigate', { url: pages.url });
    assert.equal(opened['title'], 'One', JSON.stringify(opened));
    assert.equal(cloud.lent.size, 1, named);
    await browser.session.close();
    assert.equal(cloud.lent.size, 0, named);
  }
  const told = cloud.server.requests.map(({ headers }) =>
    ['x-bb-api-key', 'x-browser-use-api-key', 'authorization'].filter((name) => headers[name] !== undefined),
  );
  assert.deepEqual(
    told.map((names) => names.length),
    told.map(() => 1),
  );
  assert.ok(pages.requests.every((request) => !request.includes(cloudKey)));
});

test('Browserbase is asked for less where the plan has less', { skip }, async (t) => {
  const cloud = await services(t, running.url, []);
  const browser = browserOf(t, lentBy('browserbase', cloud, { ...keys, BROWSERBASE_SESSION_TIMEOUT: '99999' }));
  assert.equal((await browser.call('browser_navigate', { url: pages.url }))['title'], 'One');
  const bodies = cloud.server.requests.map(({ body }) => JSON.parse(body) as object);
  const always = { projectId: cloudProject, timeout: 21_600 };
  assert.deepEqual(bodies, [{ ...always, keepAlive: true, proxies: true }, { ...always, proxies: true }, always]);
});

test('a service that refuses is told without its key, and a browser that does not answer is given back', async (t) => {
  const cloud = await services(t, 'http://127.0.0.1:1');
  const refused = browserOf(t, lentBy('browserbase', cloud, { ...keys, BROWSERBASE_API_KEY: 'wrong-key-of-somebody' }));
  const answer = await refused.call('browser_navigate', { url: 'http://127.0.0.1:1/' });
  assert.match(text(answer['error']), /Browserbase answered with status 401: Unauthorized/);
  assert.doesNotMatch(text(answer['error']), /wrong-key/);
  const dead = await browserOf(t, lentBy('browser-use', cloud)).call('browser_navigate', {
    url: 'http://127.0.0.1:1/',
  });
  assert.match(text(dead['error']), /No browser answers at Browser Use/);
  assert.equal(cloud.lent.size, 0);
  cloud.server.answer({
    'POST /api.firecrawl.dev/v2/browser': { status: 307, headers: { location: 'http://elsewhere.test/' } },
  });
  const led = await browserOf(t, lentBy('firecrawl', cloud)).call('browser_navigate', { url: 'http://127.0.0.1:1/' });
  assert.match(text(led['error']), /redirects, which is not followed/);
});

test('a service that is named and lacks its keys is not replaced by another one', () => {
  const none = {
    cloud: cloudBrowserVariables({}),
    browserUse: { kind: 'none' as const },
    firecrawl: { key: undefined, url: undefined },
  };
  assert.throws(
    () => chooseCloud('firecrawl', none),
    /browser.cloud_provider is firecrawl, which needs FIRECRAWL_API_KEY/,
  );
  assert.throws(
    () => chooseCloud('cloudy', none),
    /'cloudy', which is not one of: browserbase, browser-use, firecrawl/,
  );
  assert.equal(chooseCloud('auto', none), undefined);
});

test('addresses of this machine open in a browser of it, or nowhere; those that hand out credentials never', {
  skip,
}, async (t) => {
  const cloud = await services(t);
  const rules = () => Promise.resolve(new NetworkRules(undefined));
  const own: BrowserSessionOptions<BrowserSession> = {
    isThere: () => true,
    backend: () => Promise.resolve(localBackend()),
    rules,
    dialogs: { policy: 'must_respond', timeoutSeconds: 300 },
    idleSeconds: 600,
    commandSeconds: 60,
    homePath: '/nowhere',
    slots: new BrowserSlots(),
    log: noLog,
    within: (_, work) => work(),
  };
  const sidecar = new Sidecar(() => new BrowserSession(own));
  const browser = browserOf(t, lentBy('browserbase', cloud), { allowPrivate: false, sidecar });
  const opened = await browser.call('browser_navigate', { url: pages.url });
  assert.equal(opened['title'], 'One');
  assert.equal(browser.session.address?.host, new URL(pages.url).host);
  assert.match(text((await browser.call('browser_snapshot'))['snapshot']), /Here/);
  assert.equal(cloud.lent.size, 0, 'nothing was lent for it');
  const metadata = await browser.call('browser_navigate', { url: 'http://169.254.169.254/latest' });
  assert.match(text(metadata['error']), /^Blocked: link-local/);
  await browser.session.close();
  assert.equal(browser.session.isOpen, false);
  const alone = browserOf(t, lentBy('browserbase', cloud), { allowPrivate: false });
  assert.match(
    text((await alone.call('browser_navigate', { url: pages.url }))['error']),
    /^Blocked: addresses of this/,
  );
});
