/** A browser that runs already: its dialogs wait, its other tabs are left alone, and what is done in it is asked about. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CdpEndpoint } from '../../../src/tools/browser/cdp-endpoint.ts';
import { toolCatalogue } from '../../../src/tools/catalogue.ts';
import { sendCdp } from '../../../src/tools/browser/raw-cdp.ts';
import { policyWith } from '../support.ts';
import { type RunningChromium, startChromium } from './running-chromium.ts';
import { type Browsing, browsing, localBackend, type Pages, refOf, servePages, skip, text } from './support.ts';

let running: RunningChromium;
let pages: Pages;
let browser: Browsing;

before(async () => {
  if (skip !== false) return;
  running = await startChromium();
  pages = await servePages({
    '/': `<title>Asks</title><button onclick="this.textContent=prompt('Name?','Ada')">Ask</button><button onclick="alert('x')">Alert</button>`,
    '/metadata': `<title>Bad</title><p id="out">waits</p><script>fetch('http://169.254.169.254/').catch(()=>{out.textContent='failed'})</script>`,
  });
  browser = browsing({
    endpoint: running.url,
    backend: (endpoint) => Promise.resolve(endpoint === undefined ? localBackend() : new CdpEndpoint(endpoint)),
  });
});

after(async () => {
  if (skip !== false) return;
  await browser.close();
  await running.close();
  pages.close();
});

async function open(path: string) {
  return await browser.call('browser_navigate', { url: pages.url + path });
}

async function tabs(): Promise<string> {
  const { signal } = new AbortController();
  const { result } = await sendCdp({ endpoint: running.url, method: 'Target.getTargets', params: {}, signal });
  return JSON.stringify(result);
}

test('dialogs are answered and commands sent only where a browser runs already', async () => {
  const own = browsing();
  const offered = async ({ services }: Browsing) => {
    const entries = toolCatalogue.filter(({ toolset }) => toolset === 'browser');
    const tools = await Promise.all(entries.map((entry) => entry.load()));
    return tools.filter((tool) => tool.available(services)).map(({ name }) => name);
  };
  const [here, there] = await Promise.all([offered(own), offered(browser)]);
  assert.ok(here.includes('browser_click'));
  assert.deepEqual(
    there.filter((name) => !here.includes(name)),
    ['browser_dialog', 'browser_cdp'],
  );
  await own.close();
});

test('a dialog waits until it is answered', { skip }, async () => {
  const { snapshot } = await open('/');
  const clicked = await browser.call('browser_click', { ref: refOf(snapshot, 'Ask') });
  assert.match(
    JSON.stringify(clicked['pending_dialogs']),
    /"id":"d-\d+","type":"prompt","message":"Name\?".*"default_prompt":"Ada"/,
  );
  const waiting = await browser.call('browser_snapshot');
  assert.match(text(waiting['snapshot']), /waits for the answer/);
  const answered = await browser.call('browser_dialog', { action: 'accept', prompt_text: 'Grace' });
  assert.match(JSON.stringify(answered['dialog']), /"closed_by":"agent"/);
  const after_ = await browser.call('browser_snapshot');
  assert.equal(after_['pending_dialogs'], undefined);
  assert.match(text(after_['snapshot']), /button "Grace"/);
  assert.equal((await browser.call('browser_dialog', { action: 'accept' }))['error'], 'No dialog waits for an answer.');
});

test('with a policy dialogs are answered at once', { skip }, async () => {
  const own = browsing({
    endpoint: running.url,
    backend: (endpoint) => Promise.resolve(new CdpEndpoint(endpoint ?? '')),
    dialogs: { policy: 'auto_dismiss', timeoutSeconds: 300 },
  });
  const { snapshot } = await own.call('browser_navigate', { url: pages.url });
  const clicked = await own.call('browser_click', { ref: refOf(snapshot, 'Ask') });
  assert.match(
    JSON.stringify(clicked['recent_dialogs']),
    /"closed_by":"auto_policy","accepted":false|"accepted":false,"closed_by":"auto_policy"/,
  );
  await own.close();
});

test('metadata addresses are not reached from it either', { skip }, async () => {
  assert.match(text((await open('/metadata'))['snapshot']), /failed/);
  assert.match(
    JSON.stringify((await browser.call('browser_console'))['js_errors']),
    /169\.254\.169\.254:80 was not reached/,
  );
});

test('a command of the protocol reaches the browser and one of its pages', { skip }, async () => {
  await open('/');
  const targets = await browser.call('browser_cdp', { method: 'Target.getTargets' });
  const found = JSON.stringify(targets['result']).match(/"targetId":"(\w+)","type":"page","title":"Asks"/)?.[1] ?? '';
  const value = await browser.call('browser_cdp', {
    method: 'Runtime.evaluate',
    params: { expression: 'document.title' },
    target_id: found,
  });
  assert.match(JSON.stringify(value['result']), /"value":"Asks"/);
  assert.match(text((await browser.call('browser_cdp', { method: 'No.such' }))['error']), /wasn't found\. See https:/);
  const file = { method: 'Page.navigate', params: { url: 'file:///etc/passwd' }, target_id: found };
  assert.match(text((await browser.call('browser_cdp', file))['error']), /^Blocked: only http and https/);
});

test('after text from outside the first thing that is done in the name of its person is asked about', {
  skip,
}, async () => {
  const { snapshot } = await open('/');
  browser.entered = [{ from: 'page', name: `127.0.0.1:${pages.port}` }];
  const nobody = { policy: policyWith({ entered: () => browser.entered }) };
  const clicked = await browser.call('browser_click', { ref: refOf(snapshot, 'Alert') }, nobody);
  assert.match(text(clicked['error']), /acts in your own browser on 127\.0\.0\.1/);
  const asked = await browser.call('browser_cdp', { method: 'Network.getAllCookies' }, nobody);
  assert.match(text(asked['error']), /uses Network\.getAllCookies of your own browser/);
  assert.equal((await browser.call('browser_snapshot', {}, nobody))['success'], true);
  browser.entered = [];
});

test('its tabs are closed with the session, and the browser goes on', { skip }, async () => {
  await open('/');
  assert.match(await tabs(), /Asks/);
  await browser.session.close();
  assert.doesNotMatch(await tabs(), /Asks/);
  assert.match(await tabs(), /about:blank/);
});

test('an endpoint where nobody answers is told without its secrets, and the one before stays', { skip }, async () => {
  const nowhere = 'ws://127.0.0.1:9/devtools?token=secret';
  await assert.rejects(browser.session.connect(nowhere, new AbortController().signal), (error) => {
    assert.match(String(error), /No browser answers at 127\.0\.0\.1:9\./);
    assert.doesNotMatch(String(error), /secret/);
    return true;
  });
  assert.equal(browser.session.endpoint, running.url);
  await browser.session.connect(running.url, new AbortController().signal);
  assert.match(browser.session.describe(), /the one at 127\.0\.0\.1:\d+, open\./);
  await browser.session.disconnect();
});
