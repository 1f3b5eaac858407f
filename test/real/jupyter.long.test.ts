/** A real application in the browser: from the login of JupyterLab to a document that is changed and saved. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { browsing, refOf, skip, text } from '../tools/browser/support.ts';
import { pythonPackages } from './python-packages.ts';
import { startServer } from './server-process.ts';

const looks = 240;
const betweenMs = 500;

test('the agent logs in to JupyterLab, rewrites a document and saves it', { skip }, async (t) => {
  const packages = await pythonPackages('jupyterlab', ['jupyterlab==4.6.6']);
  if (typeof packages === 'string') return t.skip(packages);
  const work = mkdtempSync(join(tmpdir(), 'hermes-test-jupyter-'));
  const document = join(work, 'note.md');
  writeFileSync(document, 'old text\n');
  const url = await startServer(t, {
    command: packages.script('jupyter-lab'),
    args: (port) => [
      '--no-browser',
      '--allow-root',
      `--port=${port}`,
      '--ServerApp.port_retries=0',
      `--ServerApp.root_dir=${work}`,
      '--IdentityProvider.token=open-sesame',
    ],
    env: { JUPYTER_CONFIG_DIR: join(work, '.config'), JUPYTER_DATA_DIR: join(work, '.data'), HOME: work },
    ready: '/login',
    ask: async (address) => (await fetch(address)).ok,
  });
  const browser = browsing({ commandSeconds: 120 });
  t.after(async () => {
    await browser.close();
    rmSync(work, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const login = await browser.call('browser_navigate', { url: `${url}/lab/tree/note.md` });
  await browser.call('browser_type', {
    ref: refOf(login['snapshot'], 'textbox "Password or token:"'),
    text: 'open-sesame',
  });
  const inside = await browser.call('browser_click', { ref: refOf(login['snapshot'], 'button "Log in"') });
  assert.equal(inside['url'], `${url}/lab/tree/note.md`);

  let editor: string | undefined;
  for (let count = 0; editor === undefined && count < looks; count++) {
    const seen = text((await browser.call('browser_snapshot'))['snapshot']);
    editor = /textbox[^\n]* (@\w+)\n[^\n]*old text/.exec(seen)?.[1];
    if (editor === undefined) await delay(betweenMs);
  }
  assert.ok(editor !== undefined, 'the editor is shown');
  const typed = await browser.call('browser_type', { ref: editor, text: 'written in the browser' });
  assert.equal(typed['success'], true, JSON.stringify(typed));
  await browser.call('browser_press', { key: 'Control+s' });
  for (let count = 0; readFileSync(document, 'utf8').includes('old') && count < looks; count++) await delay(betweenMs);
  assert.match(readFileSync(document, 'utf8'), /^written in the browser\n?$/);
});
