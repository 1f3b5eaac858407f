/** A browser that a Camofox server drives. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { fetchOver } from '../../../src/lib/fetch-over.ts';
import { noLog } from '../../../src/lib/log.ts';
import { CamofoxBrowser, type CamofoxBrowserOptions } from '../../../src/tools/browser/camofox/camofox-browser.ts';
import { camofoxIdentity } from '../../../src/tools/browser/camofox/camofox-identity.ts';
import { NetworkRules } from '../../../src/tools/browser/network-rules.ts';
import {
  type FakeCamofox,
  type FakeCamofoxOptions,
  fakePicture,
  startFakeCamofox,
} from '../../fakes/camofox-server.ts';
import { startJsonServer } from '../../fakes/json-server.ts';
import { temporaryDirectory } from '../../sessions/support.ts';
import { policyWith } from '../support.ts';
import { type Browsing, type BrowsingOptions, browsing, text } from './support.ts';

const ephemeral = { userId: 'hermes_one', sessionKey: 'task_one', isKept: false };
const kept = { userId: 'their', sessionKey: 'task_one', isKept: true };

async function serverOf(t: TestContext, options: FakeCamofoxOptions = {}): Promise<FakeCamofox> {
  const server = await startFakeCamofox(options);
  t.after(() => server[Symbol.asyncDispose]());
  return server;
}

function browserOf(
  t: TestContext,
  url: string,
  changes: Partial<CamofoxBrowserOptions> = {},
  options: BrowsingOptions = {},
): Browsing {
  const rules = () => Promise.resolve(new NetworkRules(undefined));
  const camofox = new CamofoxBrowser({
    url,
    key: undefined,
    fetch: fetchOver({}),
    identity: ephemeral,
    adopts: false,
    loopbackAlias: undefined,
    rules,
    idleSeconds: 600,
    commandSeconds: 60,
    homePath: temporaryDirectory(t),
    log: noLog,
    within: (_, work) => work(),
    ownPorts: () => Promise.resolve(new Set([4000])),
    ...changes,
  });
  const browser = browsing({ ...options, camofox });
  t.after(() => browser.close());
  return browser;
}

const shop = 'https://203.0.113.7.nip.test/';
const form = `- heading "Shop"
- textbox "Name" [e1]: Ann
- textbox "Password" [e2]: secret-of-ann
- button "Buy" [e3]
- link "Next \\"page\\"" [e4]:
  - /url: /next?page=2
- img "A heron"`;

const pages = {
  [shop]: {
    title: 'Shop',
    tree: form,
    links: { e4: `${shop}next?page=2` },
    values: { 'type=password': ['secret-of-ann'] },
  },
  [`${shop}next?page=2`]: { title: 'Next', tree: '- heading "Two"' },
};

test('a page is opened with its snapshot, filled in and left again; names are those of the other browsers', async (t) => {
  const server = await serverOf(t, { pages });
  const browser = browserOf(t, server.url);
  const opened = await browser.call('browser_navigate', { url: shop });
  assert.equal(opened['success'], true, JSON.stringify(opened));
  assert.deepEqual([opened['url'], opened['title'], opened['element_count']], [shop, 'Shop', 4]);
  const snapshot = text(opened['snapshot']);
  assert.match(snapshot, /textbox "Name" @e1: Ann\n- textbox "Password" @e2: ••••\n/);
  assert.doesNotMatch(snapshot, /secret-of-ann|\/url/);
  assert.match(text((await browser.call('browser_snapshot', { full: true }))['snapshot']), /\/url: \/next\?page=2/);
  assert.deepEqual(await browser.call('browser_type', { ref: '@e1', text: 'Bob' }), {
    success: true,
    typed: 'Bob',
    element: '@e1',
  });
  assert.equal((await browser.call('browser_press', { key: 'Enter' }))['pressed'], 'Enter');
  assert.equal((await browser.call('browser_scroll', { direction: 'down' }))['scrolled'], 'down');
  assert.equal((await browser.call('browser_click', { ref: 'e4' }))['url'], `${shop}next?page=2`);
  assert.equal((await browser.call('browser_back'))['url'], shop);
  assert.match(text((await browser.call('browser_click', { ref: '@e99' }))['error']), /Unknown ref: e99/);
  const does = server.asked().filter((line) => !/GET|evaluate/.test(line));
  assert.deepEqual(does.slice(0, 3), [
    'POST type {"userId":"hermes_one","ref":"e1","text":"Bob"}',
    'POST press {"userId":"hermes_one","key":"Enter"}',
    'POST scroll {"userId":"hermes_one","direction":"down","amount":650}',
  ]);
  await browser.session.close();
  assert.equal(server.users.size, 0, 'the session on the server has ended');
});

test('the page is a source, its links are offered, and typing there is asked about like anywhere', async (t) => {
  const server = await serverOf(t, { pages });
  const browser = browserOf(t, server.url);
  await browser.call('browser_navigate', { url: shop });
  const outcome = await browser.outcomeOf('browser_snapshot');
  assert.deepEqual(outcome.sources, [{ from: 'page', name: new URL(shop).host }]);
  assert.equal(browser.session.offers(`${shop}next?page=2`), true);
  browser.entered = [{ from: 'page', name: 'elsewhere.test' }];
  const nobody = { policy: policyWith({ entered: () => browser.entered }) };
  const typed = await browser.call('browser_type', { ref: '@e1', text: 'what the model knows' }, nobody);
  assert.match(text(typed['error']), /types into pages of 203\.0\.113\.7\.nip\.test/);
  const script = await browser.call('browser_console', { expression: 'document.title' }, nobody);
  assert.match(text(script['error']), /runs scripts in pages of/);
  assert.equal((await browser.call('browser_click', { ref: '@e3' }, nobody))['success'], true);
  // A user that is kept is logged in here and there.
  const theirs = browserOf(t, server.url, { identity: kept });
  await theirs.call('browser_navigate', { url: shop });
  const clicked = await theirs.call('browser_click', { ref: '@e3' }, nobody);
  assert.match(text(clicked['error']), /acts in your own browser on/);
});

test('a page that leads to a private address is left, whoever led there, and nothing of it is told', async (t) => {
  const inside = 'http://10.0.0.1/';
  const server = await serverOf(t, {
    pages: {
      ...pages,
      'https://bad.test/': { leadsTo: inside },
      'https://later.test/': { tree: '- link "Go" [e1]', links: { e1: inside } },
      [inside]: { title: 'Router', tree: '- heading "Router of the house"' },
    },
  });
  const browser = browserOf(t, server.url);
  const led = await browser.call('browser_navigate', { url: 'https://bad.test/' });
  assert.match(text(led['error']), /^Blocked: the page led to http:\/\/10\.0\.0\.1\/; .*private/);
  assert.equal(server.users.get('hermes_one')?.length, 0, 'the tab is closed');
  await browser.call('browser_navigate', { url: 'https://later.test/' });
  assert.match(text((await browser.call('browser_click', { ref: 'e1' }))['error']), /^Blocked: the page led to/);
  await browser.call('browser_navigate', { url: 'https://later.test/' });
  // The page moves by itself.
  for (const tab of server.users.get('hermes_one') ?? []) tab.url = inside;
  const read = await browser.call('browser_snapshot');
  assert.match(text(read['error']), /^Blocked: the page led to/);
  assert.doesNotMatch(JSON.stringify([led, read]), /Router of the house/);
});

test('what is never opened is not asked of the server', async (t) => {
  const server = await serverOf(t);
  const browser = browserOf(t, server.url);
  for (const url of [
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    `${server.url}/tabs`,
    'http://localhost:4000/',
    'https://a.test/?api_key=abcdefghij0123456789',
  ]) {
    const answer = await browser.call('browser_navigate', { url });
    assert.match(text(answer['error']), /^Blocked: /, url);
  }
  assert.equal(server.users.size, 0);
  const opened = await browser.call('browser_navigate', { url: 'http://localhost:3000/' });
  assert.equal(opened['url'], 'http://localhost:3000/', 'a server of this machine is opened by its name');
});

test('nothing is done on a page that has moved to another host since it was read', async (t) => {
  const server = await serverOf(t, { pages });
  const browser = browserOf(t, server.url);
  await browser.call('browser_navigate', { url: shop });
  for (const tab of server.users.get('hermes_one') ?? []) tab.url = 'https://evil.test/';
  const typed = await browser.call('browser_type', { ref: 'e1', text: 'for the shop alone' });
  assert.match(text(typed['error']), /The page went on to evil\.test/);
  assert.ok(server.asked().every((line) => !line.startsWith('POST type')));
});

test('an address of this machine is rewritten for a browser in a container, and told so', async (t) => {
  const there = 'http://host.docker.internal:3000/app';
  const server = await serverOf(t, {
    pages: { [there]: { title: 'Mine', tree: '- link "In" [e1]:\n  - /url: /in' } },
    vncPort: 5900,
  });
  const browser = browserOf(t, server.url, { loopbackAlias: 'host.docker.internal' });
  const opened = await browser.call('browser_navigate', { url: 'http://127.0.0.1:3000/app' });
  assert.equal(opened['url'], there);
  assert.equal(opened['requested_url'], 'http://127.0.0.1:3000/app');
  assert.deepEqual(opened['url_rewrite'], {
    from: '127.0.0.1',
    to: 'host.docker.internal',
    original_url: 'http://127.0.0.1:3000/app',
    rewritten_url: there,
  });
  assert.match(text(opened['warning']), /127\.0\.0\.1 is host\.docker\.internal/);
  assert.match(text(opened['vnc_url']), /^http:\/\/127\.0\.0\.1:5900$/);
  assert.ok(opened['vnc_hint']);
  assert.equal(browser.session.address?.host, '127.0.0.1:3000', 'for questions it is the one that was named');
  assert.equal(browser.session.offers('http://127.0.0.1:3000/in'), true);
});

test('the key goes to the server alone, and no redirect is followed', async (t) => {
  const server = await serverOf(t, { pages, key: 'key-of-camofox' });
  const opened = await browserOf(t, server.url, { key: 'key-of-camofox' }).call('browser_navigate', { url: shop });
  assert.equal(opened['title'], 'Shop');
  const wrong = await browserOf(t, server.url, { key: 'wrong-key' }).call('browser_navigate', { url: shop });
  assert.match(text(wrong['error']), /Camofox answered with status 403: Forbidden/);
  assert.doesNotMatch(text(wrong['error']), /wrong-key/);
  const other = await startJsonServer();
  t.after(() => other[Symbol.asyncDispose]());
  const leads = await startJsonServer({
    'GET /health': { body: { ok: true } },
    'POST /tabs': { status: 307, headers: { location: `${other.url}/tabs` } },
  });
  t.after(() => leads[Symbol.asyncDispose]());
  const led = await browserOf(t, leads.url, { key: 'key-of-camofox' }).call('browser_navigate', { url: shop });
  assert.match(text(led['error']), /redirects, which is not followed/);
  assert.equal(other.requests.length, 0);
});

test('a tab that the server has thrown away is replaced by the next page, and told to what else wanted it', async (t) => {
  const server = await serverOf(t, { pages });
  const browser = browserOf(t, server.url);
  await browser.call('browser_navigate', { url: shop });
  server.users.get('hermes_one')?.splice(0);
  assert.match(text((await browser.call('browser_snapshot'))['error']), /The page is gone .*browser_navigate/);
  assert.match(text((await browser.call('browser_click', { ref: 'e1' }))['error']), /No page is open/);
  await browser.call('browser_navigate', { url: shop });
  server.users.get('hermes_one')?.splice(0);
  assert.equal((await browser.call('browser_navigate', { url: shop }))['title'], 'Shop');
});

test('a user that is kept stays on the server, with the tab that is taken over', async (t) => {
  const server = await serverOf(t, { pages });
  server.open('their', 'task_one', shop);
  server.open('their', 'task_two', `${shop}next?page=2`);
  const browser = browserOf(t, server.url, { identity: kept, adopts: true });
  assert.match(text((await browser.call('browser_snapshot'))['snapshot']), /heading "Shop"/);
  assert.equal(browser.session.isPersons, true);
  const newest = browserOf(t, server.url, { identity: { ...kept, sessionKey: 'task_none' }, adopts: true });
  assert.match(text((await newest.call('browser_snapshot'))['snapshot']), /heading "Two"/);
  await Promise.all([browser.session.close(), newest.session.close()]);
  assert.equal(server.users.get('their')?.length, 2);
  assert.ok(server.server.requests.every(({ method }) => method !== 'DELETE'));
  const without = browserOf(t, server.url, { identity: kept });
  assert.match(text((await without.call('browser_snapshot'))['error']), /No page is open/);
  await without.call('browser_navigate', { url: shop });
  assert.equal(server.users.get('their')?.length, 3, 'where nothing is taken over a tab is made');
});

test('pictures are listed, scripts run, the page is looked at; what cannot be done is told in a line', async (t) => {
  const images = [{ src: `${shop}heron.png`, alt: 'A heron', width: 10, height: 20 }];
  const values = { 'document.images': images, '1+1': 2, 'type=password': [] };
  const server = await serverOf(t, { pages: { ...pages, [shop]: { ...pages[shop], values } } });
  const browser = browserOf(t, server.url);
  await browser.call('browser_navigate', { url: shop });
  assert.deepEqual((await browser.call('browser_get_images'))['images'], images);
  assert.equal((await browser.call('browser_console', { expression: '1+1' }))['result'], 2);
  assert.match(text((await browser.call('browser_console'))['error']), /does not tell what pages wrote/);
  let asked = '';
  browser.services.state.vision = {
    isNative: false,
    canDescribe: true,
    describe: (_: unknown, question: string) => Promise.resolve(`a shop${((asked = question)).slice(0, 0)}`),
    canWatch: false,
    watch: () => Promise.reject(new Error('nobody watches')),
  };
  const looked = await browser.call('browser_vision', { question: 'What is it?', annotate: true });
  assert.equal(looked['analysis'], 'a shop', JSON.stringify(looked));
  assert.match(asked, /^What is it\?\n\nThe page as text:\n- heading "Shop"/);
  assert.deepEqual(readFileSync(text(looked['screenshot_path'])), fakePicture);
  const old = await serverOf(t, { pages, withoutScripts: true });
  const plain = browserOf(t, old.url);
  const opened = await plain.call('browser_navigate', { url: shop });
  assert.doesNotMatch(text(opened['snapshot']), /secret-of-ann|Ann/, 'nobody knows which field is a secret');
  assert.deepEqual((await plain.call('browser_get_images'))['images'], [{ src: '', alt: 'A heron' }]);
  assert.match(text((await plain.call('browser_console', { expression: '1+1' }))['error']), /runs no scripts/);
});

test('a long page is read in parts, cut, and all of it is in a file', async (t) => {
  const tree = Array.from({ length: 4000 }, (_, at) => `- paragraph: line ${at} of a long page`).join('\n');
  const server = await serverOf(t, { pages: { [shop]: { tree } }, windowChars: 30_000 });
  const browser = browserOf(t, server.url);
  const snapshot = text((await browser.call('browser_navigate', { url: shop }))['snapshot']);
  assert.ok(snapshot.length <= 15_000);
  const path = /All of it: (.*)\]$/.exec(snapshot)?.[1] ?? '';
  assert.ok(existsSync(path));
  assert.equal(readFileSync(path, 'utf8'), tree);
});

test('a server that is not there is told before any page is asked for', async (t) => {
  const { url } = await startJsonServer().then(async (server) => {
    await server[Symbol.asyncDispose]();
    return server;
  });
  const answer = await browserOf(t, url).call('browser_navigate', { url: shop });
  assert.match(text(answer['error']), /No Camofox server answers at 127\.0\.0\.1:/);
  const wrong = await browserOf(t, 'camofox').call('browser_navigate', { url: shop });
  assert.match(text(wrong['error']), /CAMOFOX_URL is no address of a server/);
});

test('a session that nobody uses ends on the server, and the next page opens another one', async (t) => {
  const server = await serverOf(t, { pages });
  const browser = browserOf(t, server.url, { idleSeconds: 0.01 });
  await browser.call('browser_navigate', { url: shop });
  while (server.users.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(browser.session.isOpen, false);
  assert.equal((await browser.call('browser_navigate', { url: shop }))['title'], 'Shop');
});

test('a kept user is the one that the original program made for the same home', () => {
  const home = '/home/u/.hermes';
  const settings = { user_id: '', session_key: '', managed_persistence: true };
  assert.deepEqual(camofoxIdentity(settings, home, 's-1'), {
    userId: 'hermes_d9d33fa048',
    sessionKey: 'task_5d119c68992456bc',
    isKept: true,
  });
  assert.deepEqual(camofoxIdentity({ ...settings, user_id: 'ann' }, home, 'session-of-today-1'), {
    userId: 'ann',
    sessionKey: 'task_session-of-today',
    isKept: true,
  });
  const [one, two] = [0, 1].map(() => camofoxIdentity({ ...settings, managed_persistence: false }, home, 's-1'));
  assert.match(String(one?.userId), /^hermes_[0-9a-f]{10}$/);
  assert.notEqual(one?.userId, two?.userId);
  assert.equal(one?.isKept, false);
});
