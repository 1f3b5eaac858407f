/** How long code of a plug-in is waited for. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

test('a process that waits for nothing but code that hangs waits until its time is over, and does not end as if all were well', async (t) => {
  const module = new URL('../../src/plugins/deadline.ts', import.meta.url).href;
  const code = `import { withDeadline } from ${JSON.stringify(module)};
    const told = await withDeadline(50, () => new Promise(() => undefined)).catch((error) => error.message);
    console.log(told, await withDeadline(600_000, () => 'and what is quick holds up no end'));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  assert.deepEqual([said, child.exitCode], ['no answer within 0.05 s and what is quick holds up no end\n', 0]);
});
