/** Which browser of this machine a session has. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { fetchOver } from '../../src/lib/fetch-over.ts';
import { noLog } from '../../src/lib/log.ts';
import { sessionBrowser } from '../../src/runtime/session-browser.ts';
import { startFakeCamofox } from '../fakes/camofox-server.ts';
import { startModelServer } from '../fakes/model-server.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { makeDirectory } from '../environments/support.ts';
import { openChat } from './support.ts';

const web = { blocked: { find: () => undefined }, fetch: fetchOver({}) };

test('a browser is looked for once per program, until it is gone or another one is named', async (t) => {
  const { home } = temporaryHome(t);
  const [programs, others] = [makeDirectory(t), makeDirectory(t)];
  const inPath = join(programs, 'chromium');
  const aside = join(others, 'my-browser');
  for (const path of [inPath, aside]) writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
  const env: Record<string, string | undefined> = { PATH: programs, PLAYWRIGHT_BROWSERS_PATH: others };
  const config = await loadConfig({ home, env, ignoreUserConfig: false });
  const opened = (): boolean => sessionBrowser({ home, env, config, store: undefined, log: noLog }, web, 's-1').isThere;
  assert.equal(opened(), true);
  env['AGENT_BROWSER_EXECUTABLE_PATH'] = join(others, 'none');
  assert.equal(opened(), false, 'the one that is named and no other');
  env['AGENT_BROWSER_EXECUTABLE_PATH'] = aside;
  assert.equal(opened(), true);
  delete env['AGENT_BROWSER_EXECUTABLE_PATH'];
  rmSync(inPath);
  // The folders every system has may hold one.
  env['PATH'] = '';
  const anywhere = opened();
  rmSync(aside);
  assert.equal(opened(), anywhere, 'what was named is not kept for when nothing is');
});

async function described(t: TestContext, provider: string, env: Record<string, string>): Promise<string> {
  const { home, write } = temporaryHome(t);
  write('config.yaml', `browser:\n  cloud_provider: ${provider}\n`);
  const config = await loadConfig({ home, env, ignoreUserConfig: false });
  return sessionBrowser({ home, env, config, store: undefined, log: noLog }, web, 's-1').describe();
}

test('Lightpanda is used where the settings or the environment name it, and no other browser is', async (t) => {
  const engineOf = async (yaml: string, more: Record<string, string>): Promise<boolean> => {
    const { home, env: bare, write } = temporaryHome(t);
    write('config.yaml', yaml);
    const env = { ...bare, PATH: makeDirectory(t), ...more };
    const config = await loadConfig({ home, env });
    const session = sessionBrowser({ home, env, config, store: undefined, log: noLog }, web, 's-1');
    return session.engine !== undefined;
  };
  assert.equal(await engineOf('', {}), false);
  assert.equal(await engineOf('browser: {engine: lightpanda}\n', {}), true);
  assert.equal(await engineOf('', { AGENT_BROWSER_ENGINE: 'lightpanda' }), true);
  assert.equal(await engineOf('browser: {engine: chrome}\n', { AGENT_BROWSER_ENGINE: 'lightpanda' }), false);
  const cloud = { BROWSERBASE_API_KEY: 'b', BROWSERBASE_PROJECT_ID: 'p' };
  assert.equal(await engineOf('browser: {engine: lightpanda}\n', cloud), false);
  assert.equal(await engineOf('browser: {engine: lightpanda, cdp_url: "http://127.0.0.1:1"}\n', {}), false);
});

test('a service whose keys are there lends the browser, unless the settings name another one', async (t) => {
  const browserbase = { BROWSERBASE_API_KEY: 'b', BROWSERBASE_PROJECT_ID: 'p' };
  const all = { ...browserbase, BROWSER_USE_API_KEY: 'u', FIRECRAWL_API_KEY: 'f' };
  assert.match(await described(t, 'auto', all), /one of Browserbase/);
  assert.match(
    await described(t, 'auto', { BROWSERBASE_API_KEY: 'b', BROWSER_USE_API_KEY: 'u' }),
    /one of Browser Use/,
  );
  assert.match(await described(t, 'browser-use', all), /one of Browser Use/);
  assert.match(await described(t, 'firecrawl', all), /one of Firecrawl/);
  assert.doesNotMatch(await described(t, 'auto', { FIRECRAWL_API_KEY: 'f' }), /Firecrawl/);
  assert.doesNotMatch(await described(t, 'local', all), /Browserbase/);
});

test('a Camofox server comes before everything but a browser that runs already; its settings are those of the environment first', async (t) => {
  const camofox = await startFakeCamofox({ key: 'its-key' });
  t.after(() => camofox[Symbol.asyncDispose]());
  camofox.open('of-the-variable', 'from-the-file', 'https://open.test/');
  const { home, write } = temporaryHome(t);
  const lines = [
    'cloud_provider: browserbase',
    'camofox: {user_id: of-the-file, session_key: from-the-file, adopt_existing_tab: false}',
  ];
  const env = {
    CAMOFOX_URL: `${camofox.url}/`,
    CAMOFOX_API_KEY: 'its-key',
    CAMOFOX_USER_ID: 'of-the-variable',
    CAMOFOX_ADOPT_EXISTING_TAB: 'true',
    BROWSERBASE_API_KEY: 'b',
    BROWSERBASE_PROJECT_ID: 'p',
  };
  const made = async (more: readonly string[] = []) => {
    write('config.yaml', ['browser:', ...lines, ...more].join('\n  ') + '\n');
    const config = await loadConfig({ home, env, ignoreUserConfig: false });
    return sessionBrowser({ home, env, config, store: undefined, log: noLog }, web, 's-1');
  };
  const browser = await made();
  assert.match(browser.describe(), /one of Camofox/);
  assert.equal(browser.isThere, true);
  assert.equal(browser.isPersons, true);
  const signal = AbortSignal.timeout(60_000);
  await browser.camofox?.use({ signal, opens: true }, async (open) => {
    await open.page.adopt(open);
    await open.page.read(open, () => Promise.resolve());
  });
  assert.equal(browser.address?.host, 'open.test');
  assert.equal(browser.endpoint, undefined, 'what only an endpoint has is not offered');
  const connected = await made(['cdp_url: http://127.0.0.1:9']);
  assert.equal(connected.camofox, undefined);
  assert.match(connected.describe(), /the one at 127\.0\.0\.1:9/);
});

test('who opens a page is pointed to the tools that only read, where a session has them', async (t) => {
  for (const toolsets of [['browser_navigate'], ['browser_navigate', 'web']]) {
    await using server = await startModelServer({ respond: () => ({ text: 'Hello.' }) });
    const chat = await openChat(t, server, 'browser: {cdp_url: "http://127.0.0.1:9"}\n', { toolsets });
    await chat.say('hello');
    const { tools = [] } = server.lastRequest.body;
    const opening = tools.find(({ function: { name } }) => name === 'browser_navigate')?.function.description ?? '';
    assert.equal(/prefer web_search and web_extract/.test(opening), toolsets.includes('web'), opening);
    assert.notEqual(opening, '');
  }
});
