/** What the conformance suite of the MCP project tests: our own client, with a person who says yes, and who logs in when told to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headless } from '../../src/agent/human.ts';
import type { LoginPrompt } from '../../src/credentials/oauth/login.ts';
import { noLog } from '../../src/lib/log.ts';
import { logIn } from '../../src/mcp/login.ts';
import { McpServers } from '../../src/mcp/servers.ts';
import { entriesOf } from '../mcp/support.ts';

/** How often a person would follow the hint to log in, before it is taken for a fault. */
const maxLogins = 3;

const url = process.argv[2];
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const homePath = mkdtempSync(join(tmpdir(), 'hermes-conformance-'));
const { signal } = new AbortController();
const options = { homePath, cwd: homePath, variables: {}, network: {}, log: noLog, version: '1.0.0' };
/** Agrees to whatever the browser shows; the service leads it back to us. */
const person: LoginPrompt = {
  showCode: () => undefined,
  async openBrowser(address) {
    await (await fetch(address)).text();
    return true;
  },
  askForPaste: (_message, { aborted }) =>
    aborted ? Promise.reject(new Error('given up')) : new Promise(() => undefined),
  status: () => undefined,
};
const isGuarded = scenario.startsWith('auth/');
const entries = entriesOf({ suite: { url, ...(isGuarded ? { auth: 'oauth', oauth: registered() } : {}) } });

try {
  if (isGuarded) await login();
  for (let logins = 1; await callTools(); logins += 1) {
    if (logins === maxLogins) throw new Error('it wants ever more rights');
    await login();
  }
} finally {
  rmSync(homePath, { recursive: true, force: true });
}

/** What the person has written into the entry: the client that the suite knows already, or an address that tells of it. */
function registered(): Record<string, unknown> {
  if (scenario === 'auth/basic-cimd') return { client_id: 'https://conformance-test.local/client-metadata.json' };
  const told = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, unknown>;
  return Object.fromEntries(['client_id', 'client_secret'].flatMap((key) => (key in told ? [[key, told[key]]] : [])));
}

async function login(): Promise<void> {
  const entry = entries['suite'];
  if (entry === undefined) throw new Error('the entry cannot be read');
  await logIn('suite', entry, options, { prompt: person, signal });
}

/** Whether a tool asked for another login. */
async function callTools(): Promise<boolean> {
  const servers = new McpServers({ ...options, discoveryMs: 20_000 }, entries);
  const offered = servers.toolsFor({
    session: { redact: (text) => text },
    wants: () => true,
    taken: new Set(),
    onTaken: () => undefined,
  });
  let isWanted = false;
  try {
    await servers.ready(signal);
    const [server] = servers.list();
    if (server?.state !== 'connected') throw new Error(server?.problem ?? 'it is not connected');
    for (const tool of offered.list()) {
      const call = tool.prepare(tool.name.endsWith('add_numbers') ? { a: 5, b: 3 } : {});
      if ('problem' in call) throw new Error(call.problem);
      const { content } = await call.execute({
        signal,
        abandoned: signal,
        sessionId: 'suite',
        taskId: 'suite',
        callId: tool.name,
        human: { ...headless, present: true, approve: () => Promise.resolve('once') },
        staged: false,
        maxResultChars: 100_000,
        progress: () => undefined,
        services: {},
      });
      isWanted ||= typeof content === 'string' && content.includes('"needs_reauth":true');
    }
    return isWanted;
  } finally {
    await servers.close();
  }
}
