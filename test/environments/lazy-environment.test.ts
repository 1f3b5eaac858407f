/** An environment that is loaded with its first command, and let go when nobody uses it. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Environment, RunResult } from '../../src/environments/environment.ts';
import { createLazyEnvironment } from '../../src/environments/lazy-environment.ts';
import { createRemoteEnvironment } from '../../src/environments/remote/remote-environment.ts';
import { shellHost } from './remote/shell-host.ts';
import { makeDirectory, until } from './support.ts';

interface Setup {
  readonly environment: Environment;
  readonly directory: string;
  readonly run: (command: string) => Promise<RunResult>;
  /** How often it was loaded, and how often a host was closed. */
  readonly counts: { loads: number; closes: number };
}

function open(t: TestContext, idleMs?: number): Setup {
  const directory = makeDirectory(t);
  const counts = { loads: 0, closes: 0 };
  const environment = createLazyEnvironment({
    kind: 'ssh',
    cwd: '~',
    ...(idleMs === undefined ? {} : { idleMs }),
    load: (cwd) => {
      counts.loads++;
      if (counts.loads === 1) return Promise.reject(new Error('not yet'));
      const host = shellHost(directory);
      const close = (): Promise<void> => Promise.resolve(void counts.closes++);
      return Promise.resolve(createRemoteEnvironment({ host: { ...host, close }, cwd }));
    },
  });
  t.after(() => environment.close());
  const { signal } = new AbortController();
  return { environment, directory, counts, run: (command) => environment.run(command, { timeoutMs: 30_000, signal }) };
}

test('it is loaded once, again after it failed, and has what was provided before', async (t) => {
  const { environment, run, counts, directory } = open(t);
  environment.provide({ GIVEN: 'yes' });
  assert.deepEqual([environment.cwd, environment.files.resolve('a/./b'), counts.loads], ['~', '~/a/b', 0]);
  await assert.rejects(run('true'), /not yet/);
  const [one, two] = await Promise.all([run('echo $GIVEN'), run('pwd')]);
  assert.deepEqual([one.output, two.output, counts.loads], ['yes\n', `${directory}\n`, 2]);
  assert.equal(environment.files.resolve('a'), `${directory}/a`);
});

test('what was never used is closed without being loaded, and then refuses', async (t) => {
  const { environment, run, counts } = open(t);
  await environment.close();
  await assert.rejects(run('true'), /closed/);
  assert.equal(counts.loads, 0);
});

test('it is let go when it has been idle, and goes on in the same directory with a word about what is lost', async (t) => {
  const { environment, run, counts } = open(t, 30);
  await assert.rejects(run('true'), /not yet/);
  environment.provide({ GIVEN: 'yes' });
  await run('cd /usr; export LOST=1');
  await until(() => counts.closes === 1, 'it was let go');
  assert.equal(environment.cwd, '/usr');
  const again = await run('pwd; echo "[$LOST] $GIVEN"');
  assert.equal(again.output, '/usr\n[] yes\n');
  assert.match(again.note ?? '', /had been idle and was closed/);
  assert.equal(counts.loads, 3);
});

test('a background process keeps it', async (t) => {
  const { environment, run, counts } = open(t, 30);
  await assert.rejects(run('true'), /not yet/);
  const started = await environment.spawn('echo up; sleep 1; exit 7', { pty: false });
  assert.equal(await started.exited, 7);
  assert.equal(counts.closes, 0);
  await until(() => counts.closes === 1, 'it was let go');
});
