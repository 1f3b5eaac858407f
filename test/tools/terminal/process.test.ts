/** The process tool as a model meets it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bench, makeBench } from './support.ts';

async function start(bench: Bench, command: string, more: Record<string, boolean> = {}): Promise<string> {
  return (await bench.terminal({ command, background: true, ...more }))['session_id'];
}

test('a process is polled, killed, and then known to be over', async (t) => {
  const bench = makeBench(t);
  const session_id = await start(bench, 'echo hunter2; sleep 100');
  const polled = await bench.process({ action: 'poll', session_id });
  assert.deepEqual([polled['status'], polled['session_id'], typeof polled['pid']], ['running', session_id, 'number']);
  assert.deepEqual(await bench.process({ action: 'kill', session_id }), { status: 'killed', session_id });
  assert.deepEqual(await bench.process({ action: 'kill', session_id }), { status: 'already_exited', session_id });
  const over = await bench.process({ action: 'poll', session_id });
  assert.deepEqual([over['status'], over['exit_code'], over['command']], ['exited', -15, 'echo ***; sleep 100']);
  assert.deepEqual(
    bench.outcomes.slice(1).map(({ isError, details }) => [isError, details?.exitCode]),
    [
      [false, undefined],
      [false, undefined],
      [false, undefined],
      [true, -15],
    ],
  );
});

test('submitted text reaches the program, and wait returns what it said', async (t) => {
  const bench = makeBench(t);
  const session_id = await start(bench, 'read x; echo got:$x');
  assert.deepEqual(await bench.process({ action: 'submit', session_id, data: 'hï' }), {
    status: 'ok',
    bytes_written: 4,
  });
  const waited = await bench.process({ action: 'wait', session_id });
  assert.deepEqual(waited, { status: 'exited', exit_code: 0, output: 'got:hï\n' });
  const late = await bench.process({ action: 'write', session_id, data: 'x' });
  assert.equal(late['status'], 'error');
});

test('a program in a terminal can be answered', async (t) => {
  const bench = makeBench(t);
  const session_id = await start(bench, 'read -p "name? " x; echo "hi $x"', { pty: true });
  await bench.process({ action: 'submit', session_id, data: 'Bo' });
  const waited = await bench.process({ action: 'wait', session_id });
  assert.equal(waited['status'], 'exited');
  assert.match(waited['output'], /hi Bo\n$/);
});

test('wait is held to the configured limit, and says so', async (t) => {
  const bench = makeBench(t, { services: { settings: { terminal: { timeout: 0.1 } } } });
  const session_id = await start(bench, 'echo so far; sleep 100');
  const waited = await bench.process({ action: 'wait', session_id, timeout: 500 });
  assert.equal(waited['status'], 'timeout');
  assert.match(waited['timeout_note'], /500 s .* limit of 0.1 s/);
  await bench.services.processes.close();
});

test('an interrupt ends the wait and leaves the process alone', async (t) => {
  const bench = makeBench(t);
  const session_id = await start(bench, 'sleep 100');
  assert.equal((await bench.process({ action: 'wait', session_id }, AbortSignal.timeout(20)))['status'], 'interrupted');
  assert.equal((await bench.process({ action: 'poll', session_id }))['status'], 'running');
  await bench.services.processes.close();
});

test('the log is shown by lines: the last ones, or from a line on', async (t) => {
  const bench = makeBench(t);
  const session_id = await start(bench, String.raw`printf '\033[32m'; seq 1 500; printf 'hunter2\n'`);
  await bench.process({ action: 'wait', session_id });
  const last = await bench.process({ action: 'log', session_id, limit: 3 });
  assert.deepEqual(
    [last['output'], last['total_lines'], last['showing'], last['status']],
    ['499\n500\n***', 501, '3 lines', 'exited'],
  );
  assert.equal((await bench.process({ action: 'log', session_id }))['output'].split('\n').length, 200);
  assert.equal((await bench.process({ action: 'log', session_id, offset: 10, limit: 2 }))['output'], '11\n12');
});

test('the list shows every process in short', async (t) => {
  const bench = makeBench(t);
  assert.deepEqual(await bench.process({ action: 'list' }), { processes: [] });
  const session_id = await start(bench, `seq 1000; : ${'x'.repeat(300)}`);
  await bench.process({ action: 'wait', session_id });
  const [listed] = (await bench.process({ action: 'list' }))['processes'];
  assert.deepEqual(Object.keys(listed), [
    'session_id',
    'command',
    'cwd',
    'pid',
    'started_at',
    'uptime_seconds',
    'status',
    'output_preview',
    'exit_code',
  ]);
  assert.deepEqual([listed.command.length, listed.output_preview.length, listed.cwd], [200, 200, bench.directory]);
});

test('an unknown id and a missing one are told', async (t) => {
  const { process } = makeBench(t);
  for (const action of ['poll', 'log', 'wait', 'kill', 'write', 'submit']) {
    assert.deepEqual(await process({ action, session_id: 'proc_0', data: 'x' }), {
      status: 'not_found',
      error: 'No process with ID proc_0',
    });
    assert.match(String((await process({ action }))['error']), /session_id is required/);
  }
});

test('closing the input of a program ends what reads to its end', async (t) => {
  const bench = makeBench(t);
  const session_id = await start(bench, 'sort');
  await bench.process({ action: 'write', session_id, data: 'b\na\n' });
  const closed = await bench.process({ action: 'close', session_id });
  assert.equal(closed['status'], 'ok');
  assert.equal((await bench.process({ action: 'wait', session_id }))['output'], 'a\nb\n');
  assert.equal((await bench.process({ action: 'close', session_id }))['status'], 'already_exited');
});
