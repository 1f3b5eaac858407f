/** Scripts that call tools, as a conversation sees them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startScripts } from './support.ts';

test('a script reads a file through a tool, and only what it prints comes back', async (t) => {
  const { chat, run, server } = await startScripts(t);
  chat.place.put('a.txt', 'one\ntwo\nthree\n');
  const result = await run('from hermes_tools import read_file\nprint(read_file("a.txt")["total_lines"])');
  assert.deepEqual(
    { ...result, duration_seconds: 0 },
    {
      status: 'success',
      output: '3',
      exit_code: 0,
      tool_calls_made: 1,
      duration_seconds: 0,
      stdout_truncated: false,
      stdout_bytes_captured: 2,
      stdout_bytes_total: 2,
      stdout_bytes_omitted: 0,
    },
  );
  assert.equal(server.requests.length, 2, 'calls of a script are no steps');
});
