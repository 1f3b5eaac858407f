/**
 * The API server of a home, in a process of its own: `node api-server.ts <home>`. Prints its address; for each line that it
 * reads, what it used so far as JSON: `cpuMs`, `rssMb`.
 */
import { createInterface } from 'node:readline';
import { loadConfig } from '../../src/config/load.ts';
import { startApiServer } from '../../src/http/api/start-api-server.ts';
import { openProgram } from '../../src/runtime/open-program.ts';

const [path = ''] = process.argv.slice(2);
const home = { path, root: path, profile: 'default' };
const env = { HOME: path, PATH: process.env['PATH'] };
const config = await loadConfig({ home, env });
const program = await openProgram({ home, env, config, cwd: path, longLived: true });
const server = await startApiServer(program);
process.stdout.write(`${server.url}\n`);
const lines = createInterface({ input: process.stdin });
lines.on('line', () => {
  const { user, system } = process.cpuUsage();
  const cpuMs = (user + system) / 1000;
  process.stdout.write(`${JSON.stringify({ cpuMs, rssMb: process.memoryUsage().rss / 1e6 })}\n`);
});
lines.on('close', () => process.exit());
