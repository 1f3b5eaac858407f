/** What a look at the processes of the machine sees. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test, type TestContext } from 'node:test';
import { type ProcessRow, readProcessTable } from '../../../src/environments/local/process-table.ts';

const linux = { skip: process.platform !== 'linux' && 'environments of others can be read on Linux only' };
const mark = 'HERMES_TEST_MARK=e1b9';

test('a process is known by its mark, wherever in its environment that stands', linux, async (t) => {
  const before = [0, 16_000, 16_360, 16_370, 16_380, 16_384, 50_000];
  const marked = before.map((length) => start(t, { BEFORE: 'x'.repeat(length), HERMES_TEST_MARK: 'e1b9' }));
  const other = start(t, { HERMES_TEST_MARK: 'e1b8' });
  // The environment is that of the new program only once it has begun, which its first line tells.
  await Promise.all([...marked, other].map((child) => once(child.stdout, 'data')));
  const rows = new Map((await readProcessTable(mark)).map((row) => [row.pid, row]));
  const rowOf = (child: { readonly pid?: number | undefined }): ProcessRow | undefined => rows.get(child.pid ?? 0);
  assert.deepEqual(
    marked.map((child) => rowOf(child)?.marked),
    marked.map(() => true),
  );
  assert.equal(rowOf(other)?.marked, false);
  assert.equal(rowOf(other)?.parent, process.pid);
});

test('of the processes that were there before us none is taken for ours', linux, async () => {
  const rows = await readProcessTable('PATH=');
  const own = rows.find((row) => row.pid === process.pid);
  const older = rows.filter((row) => Number(row.started) < Number(own?.started));
  assert.ok(older.some((row) => row.pid === process.ppid));
  assert.deepEqual(
    older.filter((row) => row.marked),
    [],
  );
});

function start(t: TestContext, env: Record<string, string>) {
  const child = spawn('sh', ['-c', 'echo begun; exec cat'], {
    env: { ...env, PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  t.after(() => child.kill());
  return child;
}
