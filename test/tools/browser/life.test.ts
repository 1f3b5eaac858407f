/** How long a browser lives, and how much of it there is. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { BrowserSlots } from '../../../src/tools/browser/browser-slots.ts';
import {
  type Browsing,
  browsing,
  chromium,
  localBackend,
  type Pages,
  refOf,
  servePages,
  skip,
  text,
} from './support.ts';

async function opened(
  t: TestContext,
  options: Parameters<typeof browsing>[0] = {},
): Promise<{ browser: Browsing; pages: Pages }> {
  const pages = await servePages({
    '/': '<title>One</title><a href="/big" download>Big</a>',
    '/hang': '<title>Hang</title><button onclick="for(;;);">Hang</button>',
    '/big': (_, response) => {
      response.writeHead(200, { 'content-disposition': 'attachment; filename="big.bin"' });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on('drain', more);
      more();
    },
  });
  const browser = browsing(options);
  t.after(async () => {
    await browser.close();
    pages.close();
  });
  return { browser, pages };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Processes that have the folder of a process of ours in their command. */
function browsersOf(pid: number): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`hermes-browser-${pid}-`);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

test('a tab that crashes is told, and the next page opens', { skip }, async (t) => {
  const { browser, pages } = await opened(t);
  await browser.call('browser_navigate', { url: pages.url });
  const signal = new AbortController().signal;
  const crashed = browser.session.use({ signal, opens: false }, async ({ tab: { page } }) => {
    const gone = new Promise((resolve) => page.once('crash', resolve));
    const session = await page.context().newCDPSession(page);
    void session.send('Page.crash').catch(() => undefined);
    await gone;
  });
  await crashed;
  assert.match(JSON.stringify(await browser.call('browser_console')), /The tab crashed at http/);
  assert.equal((await browser.call('browser_navigate', { url: pages.url }))['title'], 'One');
});

test('a page that never answers is given up, and the next one opens', { skip }, async (t) => {
  const { browser, pages } = await opened(t, { commandSeconds: 3 });
  const { snapshot } = await browser.call('browser_navigate', { url: `${pages.url}/hang` });
  const hung = await browser.call('browser_click', { ref: refOf(snapshot, 'Hang') });
  assert.match(text(hung['error']), /did not answer within 3 seconds|Timeout/);
  assert.equal((await browser.call('browser_navigate', { url: pages.url }))['title'], 'One');
});

test('a download larger than allowed is cancelled', { skip }, async (t) => {
  const { browser, pages } = await opened(t);
  const { snapshot } = await browser.call('browser_navigate', { url: pages.url });
  let told = await browser.call('browser_click', { ref: refOf(snapshot, 'Big') });
  while (told['downloads'] === undefined) told = await browser.call('browser_scroll', { direction: 'down' });
  assert.match(JSON.stringify(told['downloads']), /larger than 100 MB/);
});

test('nothing of a browser is left in the folders of its person', { skip }, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'hermes-test-person-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const { browser, pages } = await opened(t, { backend: () => Promise.resolve(localBackend({ env })) });
  assert.equal((await browser.call('browser_navigate', { url: pages.url }))['title'], 'One');
  await browser.close();
  assert.deepEqual(readdirSync(home), []);
});

test('a browser that nobody uses is closed, and the next use opens another one', { skip }, async (t) => {
  const { browser, pages } = await opened(t, { idleSeconds: 0.2 });
  await browser.call('browser_navigate', { url: pages.url });
  await until(() => !browser.session.isOpen);
  assert.match(text((await browser.call('browser_snapshot'))['error']), /No page is open: use browser_navigate first/);
  assert.equal((await browser.call('browser_navigate', { url: pages.url }))['title'], 'One');
});

test('of the browsers of a process the one that was not used for longest makes room', async () => {
  const slots = new BrowserSlots();
  const { signal } = new AbortController();
  const closed: number[] = [];
  const holders = [0, 1, 2, 3, 4].map((index) => ({ close: () => Promise.resolve(void closed.push(index)) }));
  for (const holder of holders.slice(0, 4)) await slots.take(holder, signal);
  const [first, second, , , fifth] = holders;
  assert.ok(first !== undefined && second !== undefined && fifth !== undefined);
  await assert.rejects(slots.take(fifth, signal), /4 browsers are in use already/);
  slots.used(second, true);
  slots.used(first, true);
  await slots.take(fifth, signal);
  assert.deepEqual(closed, [1]);
});

function source(name: string): string {
  return new URL(`../../../src/tools/browser/${name}`, import.meta.url).href;
}

test('no browser outlives its program, however that ends', {
  skip: skip || process.platform !== 'linux',
}, async (t) => {
  const script = `
    import { NetworkRules } from '${source('network-rules.ts')}';
    import { LocalChromium } from '${source('local-chromium.ts')}';
    const backend = new LocalChromium({ executable: ${JSON.stringify(chromium)}, env: { PATH: process.env.PATH, HOME: process.env.HOME }, proxies: {}, headed: false });
    await backend.open({ rules: new NetworkRules(undefined), signal: new AbortController().signal });
    console.log('open');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const { pid = 0 } = child;
  assert.ok(browsersOf(pid).length > 0);
  child.kill('SIGKILL');
  await until(() => browsersOf(pid).length === 0);
  for (const name of readdirSync(tmpdir()).filter((found) => found.startsWith(`hermes-browser-${pid}-`))) {
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
});
