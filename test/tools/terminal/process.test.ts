/** The process tool as a model meets it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../environments/support.ts';
import { type Bench, makeBench } from './support.ts';

async function start(bench: Bench, command: string, more: Record<string, boolean> = {}): Promise<string> {
  return (await bench.terminal({ command, background: true, ...more }))['session_id'];
}

test('a process is polled, killed, and then known to be over', async (t) => {
  const bench = makeBench(t);
  const session_id = await start(bench, 'echo hunter2; sleep 100');
  await until(async () => (await bench.process({ action: 'log', session_id }))['output'] === '***', 'it speaks');
  const polled = await bench.process({ action: 'poll', session_id });
  assert.deepEqual([polled['status'], polled['session_id'], typeof polled['pid']], ['running', session_id, 'number']);
  const how = { completion_reason: 'killed', termination_source: 'process.kill' };
  await until(async () => (await bench.process({ action: 'log', session_id }))['output'] !== '', 'it printed');
  assert.deepEqual(await bench.process({ action: 'kill', session_id }), {
    status: 'killed',
    session_id,
    ...how,
    output: '***\n',
  });
  assert.deepEqual(await bench.process({ action: 'kill', session_id }), {
    status: 'already_exited',
    session_id,
    command: 'echo ***; sleep 100',
    exit_code: -15,
    ...how,
    output: '***\n',
  });
  const over = await bench.process({ action: 'poll', session_id });
  assert.deepEqual([over['status'], over['exit_code'], over['command']], ['exited', -15, 'echo ***; sleep 100']);
  assert.deepEqual([over['completion_reason'], over['termination_source']], ['killed', 'process.kill']);
  assert.deepEqual(
    bench.outcomes.slice(-4).map(({ isError, details }) => [isError, details?.exitCode]),
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
  const session_id = await start(bench, 'stty -echo; echo ready; read x; echo got:$x', { pty: true });
  await until(async () => (await bench.process({ action: 'log', session_id }))['output'] === 'ready', 'it listens');
  assert.deepEqual(await bench.process({ action: 'submit', session_id, data: 'hï' }), {
    status: 'ok',
    bytes_written: 4,
  });
  const waited = await bench.process({ action: 'wait', session_id });
  assert.deepEqual(waited, {
    status: 'exited',
    command: 'stty -echo; echo ready; read x; echo got:$x',
    exit_code: 0,
    completion_reason: 'exited',
    termination_source: '',
    output: 'ready\ngot:hï\n',
  });
  const late = await bench.process({ action: 'write', session_id, data: 'x' });
  assert.deepEqual([late['status'], typeof late['error']], ['already_exited', 'string']);
});

test('a process without a terminal takes no input, and the answer says what does', async (t) => {
  const bench = makeBench(t);
  const session_id = await start(bench, 'read x; sleep 100');
  for (const action of ['write', 'submit', 'close']) {
    const refused = await bench.process({ action, session_id, data: 'x' });
    assert.equal(refused['status'], 'error');
    assert.match(refused['error'], /pty: true/);
  }
  await bench.services.processes.close();
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
  const waited = await bench.process({ action: 'wait', session_id }, AbortSignal.timeout(20));
  assert.deepEqual(
    [waited['status'], waited['command'], typeof waited['note']],
    ['interrupted', 'sleep 100', 'string'],
  );
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
  assert.match(listed.started_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  assert.deepEqual([listed.command.length, listed.output_preview.length, listed.cwd], [200, 200, bench.directory]);
});

test('a look shows the newest 1000 characters, a wait that saw the end 2000', async (t) => {
  const bench = makeBench(t);
  const session_id = await start(bench, 'seq 5000; sleep 100');
  await until(async () => bench.services.processes.log(session_id).endsWith('5000\n'), 'it printed');
  const shown = async (action: string): Promise<string> => {
    const answer = await bench.process({ action, session_id, timeout: 1 });
    return answer[action === 'poll' ? 'output_preview' : 'output'];
  };
  for (const [action, chars] of [
    ['poll', 1000],
    ['wait', 1000],
    ['kill', 2000],
    ['wait', 2000],
  ] as const) {
    const text = await shown(action);
    assert.deepEqual([text.length, text.endsWith('4999\n5000\n')], [chars, true], action);
  }
});

test('the list says what will be told of a process', async (t) => {
  const bench = makeBench(t);
  await bench.terminal({ command: 'sleep 100', background: true, notify_on_complete: true });
  await bench.terminal({ command: 'echo ready; sleep 100', background: true, watch_patterns: ['ready'] });
  const listed = async () => (await bench.process({ action: 'list' }))['processes'];
  await until(async () => (await listed())[1].watch_hit, 'the pattern is found');
  const [first, second] = await listed();
  assert.deepEqual([first.notify_on_complete, first.watch_patterns], [true, undefined]);
  assert.deepEqual([second.notify_on_complete, second.watch_patterns], [undefined, ['ready']]);
  await bench.services.processes.close();
});

test('a look at the beginning of the log leaves the notice of the end, one at its last lines does not', async (t) => {
  const bench = makeBench(t);
  const { processes } = bench.services;
  let told = 0;
  processes.onNotice(() => told++);
  const session_id = await start(bench, 'seq 1 10', { notify_on_complete: true });
  await until(async () => told === 1, 'the end is told');
  await bench.process({ action: 'log', session_id, offset: 1, limit: 2 });
  const [notice] = processes.takeNotices();
  assert.equal(notice?.processId, session_id);
  const other = await start(bench, 'seq 1 10', { notify_on_complete: true });
  await until(async () => told === 2, 'the other end is told');
  await bench.process({ action: 'log', session_id: other });
  assert.deepEqual(processes.takeNotices(), []);
});

test('of a process that was asked for both kinds of notice the end alone is told, once', async (t) => {
  const bench = makeBench(t);
  const { processes } = bench.services;
  const kinds: string[] = [];
  processes.onNotice(() => kinds.push(...processes.takeNotices().map(({ kind }) => kind)));
  const args = { background: true, notify_on_complete: true, watch_patterns: ['ready'] };
  await bench.terminal({ command: 'echo ready; echo ready', ...args });
  await until(async () => kinds.length > 0, 'something is told');
  assert.deepEqual(kinds, ['completed']);
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
  const session_id = await start(bench, 'stty -echo; echo ready; sort', { pty: true });
  await until(async () => (await bench.process({ action: 'log', session_id }))['output'] === 'ready', 'it listens');
  await bench.process({ action: 'write', session_id, data: 'b\na\n' });
  const closed = await bench.process({ action: 'close', session_id });
  assert.equal(closed['status'], 'ok');
  assert.equal((await bench.process({ action: 'wait', session_id }))['output'], 'ready\na\nb\n');
  assert.equal((await bench.process({ action: 'close', session_id }))['status'], 'already_exited');
});
