/** Run by itself: starts background processes that each write some megabytes, and says how much memory that took at most. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessRegistry } from '../../../src/environments/process-registry.ts';
import { open, openMachine } from './sandbox/support.ts';

const [count = 1, megabytes = 1] = process.argv.slice(2).map(Number);
const home = realpathSync(mkdtempSync(join(tmpdir(), 'flood-')));
const { environment } = openMachine(home, home);
const isConfined = (await environment.confinementProblem()) === undefined;
const registry = createProcessRegistry({ homePath: join(home, '.hermes'), redact: (text) => text });
const rss = (): number => process.memoryUsage.rss() / 1024 / 1024;
const before = rss();
let most = before;
const watch = setInterval(() => (most = Math.max(most, rss())), 50);
const command = `yes "a line of output like any other, and then some" | head -c ${megabytes * 1024 * 1024}; echo done`;
const tracked = await Promise.all(
  Array.from({ length: count }, async () => {
    const started = await environment.spawn(command, { pty: false, ...(isConfined ? { confinement: open } : {}) });
    return registry.track(started, command, { cwd: home });
  }),
);
await Promise.all(tracked.map(({ process: { exited } }) => exited));
clearInterval(watch);
const ends = tracked.filter(({ id }) => registry.log(id, 20).endsWith('done\n')).length;
console.log(JSON.stringify({ ends, grown: Math.round(most - before) }));
await registry.close();
await environment.close();
rmSync(home, { recursive: true, force: true });
