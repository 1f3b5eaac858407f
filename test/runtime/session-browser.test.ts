/** Which browser of this machine a session has. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { noLog } from '../../src/lib/log.ts';
import { sessionBrowser } from '../../src/runtime/session-browser.ts';
import { temporaryHome } from '../config/temporary-home.ts';
import { makeDirectory } from '../environments/support.ts';

test('a browser is looked for once per program, until it is gone or another one is named', async (t) => {
  const { home } = temporaryHome(t);
  const [programs, others] = [makeDirectory(t), makeDirectory(t)];
  const inPath = join(programs, 'chromium');
  const aside = join(others, 'my-browser');
  for (const path of [inPath, aside]) writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
  const env: Record<string, string | undefined> = { PATH: programs, PLAYWRIGHT_BROWSERS_PATH: others };
  const config = await loadConfig({ home, env, ignoreUserConfig: false });
  const opened = (): boolean =>
    sessionBrowser({ home, env, config, store: undefined, log: noLog }, { find: () => undefined }).isThere;
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
