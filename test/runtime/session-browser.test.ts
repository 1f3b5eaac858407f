/** Which browser of this machine a session has. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { fetchOver } from '../../src/lib/fetch-over.ts';
import { noLog } from '../../src/lib/log.ts';
import { sessionBrowser } from '../../src/runtime/session-browser.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { makeDirectory } from '../environments/support.ts';

const web = { blocked: { find: () => undefined }, fetch: fetchOver({}) };

test('a browser is looked for once per program, until it is gone or another one is named', async (t) => {
  const { home } = temporaryHome(t);
  const [programs, others] = [makeDirectory(t), makeDirectory(t)];
  const inPath = join(programs, 'chromium');
  const aside = join(others, 'my-browser');
  for (const path of [inPath, aside]) writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
  const env: Record<string, string | undefined> = { PATH: programs, PLAYWRIGHT_BROWSERS_PATH: others };
  const config = await loadConfig({ home, env, ignoreUserConfig: false });
  const opened = (): boolean => sessionBrowser({ home, env, config, store: undefined, log: noLog }, web).isThere;
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
  return sessionBrowser({ home, env, config, store: undefined, log: noLog }, web).describe();
}

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
