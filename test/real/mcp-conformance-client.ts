/** What the conformance suite of the MCP project tests: our own client, with a person who says yes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headless } from '../../src/agent/human.ts';
import { noLog } from '../../src/lib/log.ts';
import { McpServers } from '../../src/mcp/servers.ts';
import { entriesOf } from '../mcp/support.ts';

const url = process.argv[2];
const homePath = mkdtempSync(join(tmpdir(), 'hermes-conformance-'));
const { signal } = new AbortController();
const servers = new McpServers(
  { homePath, cwd: homePath, variables: {}, network: {}, log: noLog, version: '1.0.0', discoveryMs: 20_000 },
  entriesOf({ suite: { url } }),
);
const offered = servers.toolsFor({
  session: { redact: (text) => text },
  wants: () => true,
  taken: new Set(),
  onTaken: () => undefined,
});
try {
  await servers.ready(signal);
  const [server] = servers.list();
  if (server?.state !== 'connected') throw new Error(server?.problem ?? 'it is not connected');
  for (const tool of offered.list()) {
    const call = tool.prepare(tool.name.endsWith('add_numbers') ? { a: 5, b: 3 } : {});
    if ('problem' in call) throw new Error(call.problem);
    await call.execute({
      signal,
      sessionId: 'suite',
      taskId: 'suite',
      callId: tool.name,
      human: { ...headless, present: true, approve: () => Promise.resolve('once') },
      staged: false,
      maxResultChars: 100_000,
      progress: () => undefined,
      services: {},
    });
  }
} finally {
  await servers.close();
  rmSync(homePath, { recursive: true, force: true });
}
