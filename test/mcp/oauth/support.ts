/** A person who logs in to a server behind a login, and conversations that use it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { LoginPrompt } from '../../../src/credentials/oauth/login.ts';
import { noLog } from '../../../src/lib/log.ts';
import { logIn } from '../../../src/mcp/login.ts';
import type { McpOptions } from '../../../src/mcp/options.ts';
import { temporaryHome } from '../../config/temporary-home.ts';
import { surface } from '../../credentials/oauth/surface.ts';
import { type McpOAuthServer, startMcpOAuthServer } from '../../fakes/mcp-oauth-server.ts';
import type { Routes } from '../../fakes/json-server.ts';
import { entriesOf } from '../support.ts';

export async function guarded(t: TestContext, routes: Routes = {}) {
  const server = await startMcpOAuthServer(routes);
  t.after(() => server[Symbol.asyncDispose]());
  const place = temporaryHome(t);
  const options: Omit<McpOptions, 'discoveryMs' | 'waits'> = {
    homePath: place.home.path,
    cwd: place.home.path,
    variables: {},
    network: {},
    log: noLog,
    version: '0',
  };
  const entry = { url: server.mcp, auth: 'oauth' };
  const tokensPath = join(place.home.path, 'mcp-tokens', 's.json');
  const stored = (): Record<string, unknown> => JSON.parse(readFileSync(tokensPath, 'utf8')) as Record<string, unknown>;
  return {
    ...place,
    server,
    options,
    entry,
    tokensPath,
    stored,
    /** With a browser, unless the prompt says otherwise. */
    async logIn(prompt: Partial<LoginPrompt> = {}, more: Record<string, unknown> = {}) {
      const person = surface({ openBrowser: throughBrowser(server), ...waits, ...prompt });
      const parsed = entriesOf({ s: { ...entry, ...more } })['s'];
      assert.ok(parsed !== undefined);
      const login = { prompt: person.prompt, signal: new AbortController().signal };
      const probed = await logIn('s', parsed, options, login);
      return { probed, lines: person.lines };
    },
  };
}

/** Nobody pastes anything. */
const waits: Partial<LoginPrompt> = {
  askForPaste: (_message, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('given up')), { once: true });
    }),
};

/** The person agrees, and the browser goes where it is sent. */
export function throughBrowser(server: McpOAuthServer, change: (back: URL) => URL = (back) => back) {
  return async (url: string): Promise<boolean> => {
    await (await fetch(change(await server.agree(url)))).text();
    return true;
  };
}
