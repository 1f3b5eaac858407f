/** What is left of servers when this program is killed. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { temporaryHome } from '../config/temporary-home.ts';
import { pidsIn } from '../fakes/mcp-server.ts';
import { fakeEntry, lives, until } from './support.ts';

test('after kill -9 nothing of a server is left, nor of what it has started', async (t) => {
  const { home } = temporaryHome(t);
  const [pids, forked] = [join(home.path, 'pids'), join(home.path, 'forked')];
  const entries = { s: fakeEntry({ tools: [{ name: 'echo' }], ignoresSignals: true, forks: forked, pids }) };
  const script = fileURLToPath(new URL('open-and-stay.ts', import.meta.url));
  const child = spawn(process.execPath, [script, home.path, JSON.stringify(entries)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const all = [...pidsIn(pids), ...pidsIn(forked)];
  assert.equal(all.length, 2);
  assert.ok(all.every(lives));
  child.kill('SIGKILL');
  await until(() => !all.some(lives));
});
