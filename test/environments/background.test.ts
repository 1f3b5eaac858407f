/** Processes that keep running, and programs without a shell. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BackgroundProcess } from '../../src/environments/environment.ts';
import { living, makeWorkplace, uniqueSleep, until } from './support.ts';

function outputOf(process: BackgroundProcess): () => string {
  let text = '';
  process.onOutput((chunk) => (text += chunk));
  return () => text;
}

test('a background process has the exports and the directory of the session, and its own exit code', async (t) => {
  const { run, environment } = makeWorkplace(t);
  await run('cd /usr; export A="x y"; f() { echo f; }');
  const started = await environment.spawn('pwd; echo $A; echo err >&2; exit 7', { pty: false });
  const output = outputOf(started);
  assert.equal(await started.exited, 7);
  assert.equal(output(), '/usr\nx y\nerr\n');
});

test('its arguments show nothing of the command or of exported secrets', async (t) => {
  const { run, environment } = makeWorkplace(t);
  await run('export TOKEN=sesame');
  const started = await environment.spawn('echo $TOKEN; sleep 100', { pty: false });
  const output = outputOf(started);
  await until(() => output() === 'sesame\n', 'it runs');
  assert.doesNotMatch(readFileSync(`/proc/${started.pid}/cmdline`, 'utf8'), /sesame|sleep 100/);
  await started.kill();
});

test('without a terminal it reads the end of its input at once, and takes none', async (t) => {
  const { environment } = makeWorkplace(t);
  const started = await environment.spawn('read x || echo "nothing to read"; cat', { pty: false });
  const output = outputOf(started);
  assert.deepEqual([started.write('one\n'), started.endInput()], [false, false]);
  assert.equal(await started.exited, 0);
  assert.equal(output(), 'nothing to read\n');
});

test('a terminal has 30 rows and 120 columns, and takes input', async (t) => {
  const { environment } = makeWorkplace(t);
  const started = await environment.spawn('tty -s && stty size; read x; echo "got:$x"; exit 4', { pty: true });
  const output = outputOf(started);
  await until(() => output().includes('30 120'), 'the size is printed');
  started.write('hi\n');
  assert.equal(await started.exited, 4);
  assert.match(output(), /got:hi/);
});

for (const pty of [false, true]) {
  test(`kill ends the whole tree of a process with ${pty ? 'a terminal' : 'pipes'}`, async (t) => {
    const { environment } = makeWorkplace(t);
    const [nap, hidden] = [uniqueSleep(), uniqueSleep()];
    const started = await environment.spawn(`(setsid ${hidden} &); ${nap} | cat`, { pty });
    await until(() => living(nap).length > 0 && living(hidden).length > 0, 'both run');
    await started.kill();
    assert.ok((await started.exited) > 128);
    assert.deepEqual([...living(nap), ...living(hidden)], []);
  });
}

for (const [graceMs, force] of [
  [50, true],
  [0, false],
] as const) {
  test(`what ignores SIGTERM is ${force ? 'killed after its grace' : 'left running where nothing may be killed'}`, async (t) => {
    const { environment } = makeWorkplace(t, { graceMs });
    const started = await environment.spawn(`trap 'echo asked' TERM; echo ready; while :; do sleep 0.01; done`, {
      pty: false,
    });
    const output = outputOf(started);
    await until(() => output() === 'ready\n', 'it runs');
    await started.kill();
    if (force) return assert.equal(await started.exited, 137);
    await until(() => output().includes('asked'), 'it was asked');
    assert.equal(existsSync(`/proc/${started.pid}`), true);
  });
}

test('a timeout of a foreground command leaves background processes alone', async (t) => {
  const { run, environment } = makeWorkplace(t);
  const nap = uniqueSleep();
  await run('true');
  const started = await environment.spawn(`(setsid ${nap} &) ; ${nap}`, { pty: false });
  await until(() => living(nap).length === 2, 'it runs');
  assert.equal((await run(uniqueSleep(), { timeoutMs: 100 })).exitCode, 124);
  assert.equal(living(nap).length, 2);
  await started.kill();
});

test('a missing directory is refused', async (t) => {
  const { environment } = makeWorkplace(t);
  await assert.rejects(environment.spawn('true', { pty: false, cwd: '/no/such' }), /no such directory/);
});

const programOptions = { timeoutMs: 10_000, signal: new AbortController().signal, maxOutput: 1000 };

test('a program runs without a shell, in a directory, with its output apart from its errors', async (t) => {
  const { environment, directory } = makeWorkplace(t);
  mkdirSync(join(directory, 'sub'));
  const result = await environment.runProgram(['sh', '-c', 'pwd; echo "$1"; echo err >&2; exit 3', 'sh', '$(x)'], {
    ...programOptions,
    cwd: 'sub',
  });
  const output = `${join(directory, 'sub')}\n$(x)\n`;
  assert.deepEqual(result, { output, stderr: 'err\n', exitCode: 3, truncated: false });
});

test('a program is bounded in output and time, and a missing one is an error', async (t) => {
  const { environment } = makeWorkplace(t);
  const long = await environment.runProgram(['sh', '-c', 'yes | head -c 10M; exit 5'], programOptions);
  assert.deepEqual([long.output.length, long.truncated, long.exitCode], [1000, true, 5]);
  const nap = uniqueSleep();
  const late = await environment.runProgram(['sh', '-c', `${nap}; true`], { ...programOptions, timeoutMs: 200 });
  assert.equal(late.exitCode, 124);
  assert.deepEqual(living(nap), []);
  const aborted = await environment.runProgram(['sleep', '50'], { ...programOptions, signal: AbortSignal.abort() });
  assert.equal(aborted.exitCode, 130);
  await assert.rejects(environment.runProgram(['no-such-program'], programOptions), { code: 'ENOENT' });
});

test('programs are found on the path, and ripgrep always', async (t) => {
  const { environment } = makeWorkplace(t);
  const ripgrep = (await environment.findProgram('rg')) ?? '';
  assert.equal(existsSync(ripgrep), true);
  assert.match((await environment.findProgram('sh')) ?? '', /\/sh$/);
  assert.equal(await environment.findProgram('no-such-program'), undefined);
  assert.match((await environment.runProgram([ripgrep, '--version'], programOptions)).output, /^ripgrep/);
});
