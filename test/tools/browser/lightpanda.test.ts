/** `browser.engine: lightpanda`: what Lightpanda does, what Chrome does in its place, and that nothing goes around the proxy. */
import assert from 'node:assert/strict';
import { delimiter, join } from 'node:path';
import type { LookupFunction } from 'node:net';
import { test, type TestContext } from 'node:test';
import { isExecutable } from '../../../src/lib/is-executable.ts';
import { noLog } from '../../../src/lib/log.ts';
import type { BrowserBackend } from '../../../src/tools/browser/backend.ts';
import { BrowserEngine } from '../../../src/tools/browser/engine.ts';
import { Lightpanda, type LightpandaOptions } from '../../../src/tools/browser/lightpanda.ts';
import { type Browsing, browsing, localBackend, type Pages, refOf, servePages, skip, text } from './support.ts';

const { PATH = '' } = process.env;
const executable = PATH.split(delimiter)
  .map((folder) => join(folder, 'lightpanda'))
  .find(isExecutable);
const skipReal = executable === undefined ? 'there is no lightpanda in PATH' : false;

function lightpanda(options: Partial<LightpandaOptions> = {}): BrowserBackend {
  const ownPorts = () => Promise.resolve(new Set<number>());
  return new Lightpanda({ executable, env: { PATH }, proxies: {}, log: noLog, ownPorts, ...options });
}

/** A session where `first` is what stands for Lightpanda. */
function engineOf(t: TestContext, first: BrowserBackend, chrome?: BrowserBackend, commandSeconds = 60): Browsing {
  const engine = new BrowserEngine({
    lightpanda: () => Promise.resolve(first),
    chrome: () => Promise.resolve(chrome),
  });
  const browser = browsing({ engine, backend: () => engine.backend(), commandSeconds });
  t.after(() => browser.close());
  return browser;
}

async function site(t: TestContext, pages: Parameters<typeof servePages>[0]): Promise<Pages> {
  const served = await servePages(pages);
  t.after(() => served.close());
  return served;
}

/** The pages of one path, one after the other. */
function inTurn(...pages: readonly string[]) {
  const cookies: string[] = [];
  let asked = 0;
  const listener: Parameters<typeof servePages>[0][string] = (request, response) => {
    cookies.push(request.headers.cookie ?? '');
    const page = pages[Math.min(asked++, pages.length - 1)];
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'known=me; Path=/' }).end(page);
  };
  return { listener, cookies };
}

const words = 'a page with enough words to be one';

test('where Lightpanda is not installed Chrome opens the page, and the answer says so', { skip }, async (t) => {
  const { url } = await site(t, { '/': `<title>Home</title><p>${words}` });
  const browser = engineOf(t, lightpanda({ executable: undefined }), localBackend());
  const opened = await browser.call('browser_navigate', { url });
  assert.deepEqual([opened['success'], opened['title'], opened['browser_engine']], [true, 'Home', 'chrome']);
  const reason = 'Lightpanda could not do it (Lightpanda is not installed: there is no lightpanda in PATH)';
  assert.equal(opened['fallback_warning'], `${reason}. Chrome did it, and has the page open from now on.`);
  assert.deepEqual(opened['browser_engine_fallback'], { from: 'lightpanda', to: 'chrome', reason });
  const seen = await browser.call('browser_snapshot');
  assert.deepEqual([seen['success'], seen['fallback_warning']], [true, undefined]);
});

test('without Chrome the failure of Lightpanda is what is told', async (t) => {
  const browser = engineOf(t, lightpanda({ executable: undefined }));
  const answer = await browser.call('browser_navigate', { url: 'http://localhost:1/' });
  assert.deepEqual(answer, {
    success: false,
    error: 'Lightpanda is not installed: there is no lightpanda in PATH.',
  });
});

test('a page that comes out empty is opened in Chrome, with the cookies that were there', { skip }, async (t) => {
  const { listener, cookies } = inTurn('', `<title>Full</title><p>${words}`);
  const { url } = await site(t, { '/': listener });
  const opened = await engineOf(t, localBackend(), localBackend()).call('browser_navigate', { url });
  assert.match(text(opened['fallback_warning']), /\(its snapshot is empty\)/);
  assert.match(text(opened['snapshot']), new RegExp(words));
  assert.deepEqual(cookies.slice(0, 2), ['', 'known=me']);
});

test('what was refused is not tried in Chrome', { skip }, async (t) => {
  const chrome: BrowserBackend = { ...localBackend(), open: () => assert.fail('Chrome was started') };
  const browser = engineOf(t, localBackend(), chrome);
  const refused = await browser.call('browser_navigate', { url: 'http://169.254.169.254/' });
  assert.match(text(refused['error']), /^Blocked: /);
  const { url } = await site(t, { '/': `<button>Go</button><p>${words}` });
  await browser.call('browser_navigate', { url });
  assert.match(text((await browser.call('browser_click', { ref: '@e99' }))['error']), /take a browser_snapshot/);
});

const covered = '<div style="position:fixed;inset:0;z-index:9"></div>';
const button = (label: string): string => `<p>${words}</p><button onclick="document.title='done'">${label}</button>`;

test('a click that fails is done in Chrome where the thing is the same, and else nothing is clicked', {
  skip,
}, async (t) => {
  const pages = {
    '/same': inTurn(button('Go') + covered, button('Go')).listener,
    '/other': inTurn(button('Go') + covered, button('Delete all')).listener,
  };
  const { url } = await site(t, pages);
  const clicked = async (path: string) => {
    const browser = engineOf(t, localBackend(), localBackend(), 5);
    const opened = await browser.call('browser_navigate', { url: url + path });
    const answer = await browser.call('browser_click', { ref: refOf(opened['snapshot'], 'button "Go"') });
    return { answer, title: (await browser.call('browser_console', { expression: 'document.title' }))['result'] };
  };
  const same = await clicked('/same');
  assert.deepEqual([same.answer['success'], same.answer['browser_engine'], same.title], [true, 'chrome', 'done']);
  const other = await clicked('/other');
  assert.match(text(other.answer['error']), /The page is open in Chrome now: take a browser_snapshot/);
  assert.equal(other.title, '');
});

test('Lightpanda opens, fills in, clicks and goes back', { skip: skipReal }, async (t) => {
  const { url } = await site(t, {
    '/': `<title>One</title><p>${words}</p><input aria-label="Name"><button onclick="document.body.append('Hi ' + document.querySelector('input').value)">Go</button><a href="/two">two</a>`,
    '/two': `<title>Two</title><p>the second page, ${words}`,
  });
  const browser = engineOf(t, lightpanda());
  const { snapshot, ...opened } = await browser.call('browser_navigate', { url });
  assert.deepEqual([opened['title'], opened['fallback_warning']], ['One', undefined]);
  await browser.call('browser_type', { ref: refOf(snapshot, 'textbox "Name"'), text: 'Ann' });
  await browser.call('browser_click', { ref: refOf(snapshot, 'button "Go"') });
  assert.match(text((await browser.call('browser_snapshot'))['snapshot']), /Hi Ann/);
  assert.equal((await browser.call('browser_click', { ref: refOf(snapshot, 'link "two"') }))['url'], `${url}/two`);
  assert.equal((await browser.call('browser_back'))['url'], `${url}/`);
  assert.equal((await browser.call('browser_console', { expression: '1+1' }))['result'], 2);
});

test('no page of the internet gets around the proxy in Lightpanda', { skip: skipReal }, async (t) => {
  const local = await site(t, { '/secret': 'secret' });
  const place = `127.0.0.1:${local.port}/secret`;
  const internet = await site(t, {
    '/': `<title>Public</title><p id="out">${words}</p><iframe src="http://${place}?frame"></iframe>
      <img src="http://${place}?image"><script src="http://${place}?script"></script>
      <link rel="stylesheet" href="http://${place}?style"><script>
      const done = (what) => { out.append(' ' + what) };
      fetch('http://${place}?fetch', { mode: 'no-cors' }).then(() => done('fetch reached'), () => done('fetch failed'));
      const socket = new WebSocket('ws://${place}?socket');
      socket.onopen = () => done('socket open'); socket.onerror = () => done('socket failed');</script>`,
    '/to-local': (_, response) => void response.writeHead(302, { location: `http://${place}?redirect` }).end(),
  });
  const lookup: LookupFunction = (name, _, callback) =>
    name === 'rebinding.test'
      ? callback(null, [{ address: '127.0.0.1', family: 4 }])
      : callback(Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' }), []);
  const browser = engineOf(t, lightpanda({ proxies: { http: internet.url }, lookup }));
  const opened = await browser.call('browser_navigate', { url: 'http://public.test/' });
  assert.equal(opened['title'], 'Public', JSON.stringify(opened));
  // The refusal of the proxy is an answer as well.
  const over = /fetch (?:failed|reached).*socket failed|socket failed.*fetch (?:failed|reached)/;
  const said = async (left: number): Promise<string> => {
    const { snapshot } = await browser.call('browser_snapshot');
    return left === 0 || over.test(text(snapshot)) ? text(snapshot) : await said(left - 1);
  };
  assert.match(await said(50), over);
  for (const url of [`http://public.test/to-local`, `http://rebinding.test:${local.port}/secret`])
    assert.equal((await browser.call('browser_navigate', { url }))['success'], false, url);
  assert.deepEqual(local.requests, []);
});

test('a lightpanda that does not use the proxy is not used', { skip: skipReal }, async (t) => {
  const direct = join(import.meta.dirname, '..', '..', 'fakes', 'lightpanda-without-proxy.sh');
  const browser = engineOf(t, lightpanda({ executable: direct, env: { PATH, LIGHTPANDA: executable ?? '' } }));
  const answer = await browser.call('browser_navigate', { url: 'http://localhost:1/' });
  assert.match(text(answer['error']), /did not start: it does not use the proxy that it is told to use\.$/);
});
