/** Nothing survives: deadlines, interrupts, close, and our own sudden death. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { living, makeDirectory, makeWorkplace, uniqueSleep, until } from './support.ts';

test('a deadline ends the command with 124, keeps its output, and nothing of the line runs on', async (t) => {
  const { run, directory } = makeWorkplace(t);
  const nap = uniqueSleep();
  await run('cd /usr; export KEPT=1');
  const result = await run(`echo before; ${nap}; touch ${directory}/after`, { timeoutMs: 1000 });
  assert.deepEqual([result.exitCode, result.ended, result.output], [124, 'timeout', 'before\n']);
  assert.match(result.note ?? '', /new one continues in \/usr/);
  assert.deepEqual(living(nap), []);
  assert.equal((await run('pwd; echo $KEPT')).output, '/usr\n1\n');
  assert.equal(existsSync(join(directory, 'after')), false);
});

test('an interrupt ends the command with 130', async (t) => {
  const { run } = makeWorkplace(t);
  const nap = uniqueSleep();
  const interrupt = new AbortController();
  const running = run(`${nap}; echo no`, { signal: interrupt.signal });
  await until(() => living(nap).length > 0, 'the command runs');
  interrupt.abort();
  const result = await running;
  assert.deepEqual([result.exitCode, result.ended, result.output], [130, 'interrupt', '']);
  assert.deepEqual(living(nap), []);
});

test('an interrupt reaches commands that still wait for their turn', async (t) => {
  const { run, directory } = makeWorkplace(t);
  const interrupt = new AbortController();
  const both = [run(uniqueSleep(), { signal: interrupt.signal }), run('touch ran', { signal: interrupt.signal })];
  interrupt.abort();
  assert.deepEqual(
    (await Promise.all(both)).map((result) => result.exitCode),
    [130, 130],
  );
  assert.deepEqual(readdirSync(directory), []);
});

for (const [name, wrap] of [
  ['a child', (nap: string) => nap],
  ['a pipeline', (nap: string) => `${nap} | cat | cat`],
  ['a session of its own', (nap: string) => `setsid ${nap}`],
  ['a double fork into a new session', (nap: string) => `(setsid sh -c '${nap} & exit' &) ; sleep 5`],
  ['an emptied environment', (nap: string) => `env -i ${nap}`],
  ['job control', (nap: string) => `set -m; ${nap} & wait`],
  ['a script of scripts', (nap: string) => `bash -c "bash -c '${nap}; echo'; echo"`],
] as const) {
  test(`the deadline finds ${name}`, async (t) => {
    const { run } = makeWorkplace(t);
    const nap = uniqueSleep();
    assert.equal((await run(wrap(nap), { timeoutMs: 1000 })).exitCode, 124);
    assert.deepEqual(living(nap), []);
  });
}

test('who ignores SIGTERM is asked first and then killed', async (t) => {
  const { run, directory } = makeWorkplace(t);
  const nap = uniqueSleep();
  const deaf = `trap 'touch ${directory}/asked' TERM; echo deaf; while :; do ${nap}; done`;
  const result = await run(`bash -c "${deaf}"`, { timeoutMs: 1000 });
  assert.match(result.output, /^deaf\n/);
  assert.equal(existsSync(join(directory, 'asked')), true);
  assert.deepEqual(living(nap), []);
});

test('a deadline holds while the start-up files hang', async (t) => {
  const { run, directory } = makeWorkplace(t, { shellInitFiles: ['~/hang.sh'] });
  const nap = uniqueSleep();
  writeFileSync(join(directory, 'hang.sh'), `${nap}\n`);
  assert.equal((await run('echo hi', { timeoutMs: 1000 })).exitCode, 124);
  assert.deepEqual(living(nap), []);
});

test('close ends the shell and what it left behind, and removes its files', async (t) => {
  const { run, environment } = makeWorkplace(t);
  const [first, second, third] = [uniqueSleep(), uniqueSleep(), uniqueSleep()];
  await run(`${first} & (setsid ${second} &)`);
  await run(`${third} & exit 1`);
  const background = await environment.spawn(`echo $0; ${uniqueSleep()}`, { pty: false });
  const script = await new Promise<string>((resolve) => background.onOutput(resolve));
  assert.equal(existsSync(dirname(script)), true);
  await environment.close();
  assert.deepEqual([...living(first), ...living(second), ...living(third)], []);
  assert.equal(existsSync(dirname(script)), false);
  assert.equal(await background.exited, 128 + 15);
});

test('close during a command ends it as interrupted', async (t) => {
  const { run, environment } = makeWorkplace(t);
  const nap = uniqueSleep();
  const running = run(nap);
  await until(() => living(nap).length > 0, 'the command runs');
  await environment.close();
  assert.equal((await running).exitCode, 130);
  assert.deepEqual(living(nap), []);
});

test('when our process is killed outright, everything it had started dies too', async (t) => {
  const directory = makeDirectory(t);
  const [plain, detached, background, terminal] = [uniqueSleep(), uniqueSleep(), uniqueSleep(), uniqueSleep()];
  const module = new URL('../../src/environments/local/local-environment.ts', import.meta.url).href;
  const parent = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { createLocalEnvironment } from ${JSON.stringify(module)};
       const environment = createLocalEnvironment({ cwd: '/', env: { HOME: ${JSON.stringify(directory)} }, sessionId: 's', homePath: '/h' });
       await environment.spawn(${JSON.stringify(background)}, { pty: false });
       await environment.spawn(${JSON.stringify(terminal)}, { pty: true });
       await environment.run(${JSON.stringify(`(setsid ${detached} &)`)}, { timeoutMs: 60_000, signal: new AbortController().signal });
       await environment.run(${JSON.stringify(plain)}, { timeoutMs: 60_000, signal: new AbortController().signal });`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  t.after(() => parent.kill('SIGKILL'));
  const naps = [plain, detached, background, terminal];
  // The parent's own command line holds the texts as well.
  await until(() => naps.every((nap) => living(nap).length >= 2), 'all four run', 20_000);
  parent.kill('SIGKILL');
  await until(() => naps.every((nap) => living(nap).length === 0), 'all four are gone');
});
