/** Opens the servers of its arguments (a home, and `mcp_servers` as JSON), says so, and stays until it is killed. */
import { McpServers } from '../../src/mcp/servers.ts';
import { noLog } from '../../src/lib/log.ts';
import { entriesOf } from './support.ts';

const [homePath = '', entries = '{}'] = process.argv.slice(2);
const servers = new McpServers(
  {
    homePath,
    cwd: homePath,
    variables: { PATH: process.env['PATH'] },
    network: {},
    log: noLog,
    version: '0',
    discoveryMs: 600_000,
  },
  entriesOf(JSON.parse(entries) as Record<string, unknown>),
);
await servers.ready(new AbortController().signal);
process.stdout.write('ready\n');
setInterval(() => undefined, 1000);
