/** Sandboxes of Daytona: how they are found, made and left, and what is told when something goes wrong. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Environment, RunOptions, RunResult } from '../../../src/environments/environment.ts';
import { living, uniqueSleep, until } from '../support.ts';
import { openDaytona } from './support.ts';

function run(environment: Environment, command: string, more: Partial<RunOptions> = {}): Promise<RunResult> {
  return environment.run(command, { timeoutMs: 30_000, signal: new AbortController().signal, ...more });
}

function told(hint: RegExp, message: RegExp): (error: Error) => boolean {
  return (error) => {
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n|dtn_/);
    assert.match(String(Reflect.get(error, 'hint')), hint);
    return true;
  };
}

test('a sandbox is made as the settings say, stopped at the end, and started again by the next session', async (t) => {
  const { daytona, session } = await openDaytona(t);
  const first = session();
  await run(first, 'echo kept >~/file; export A=1');
  assert.equal((await run(first, 'echo $A')).output, '1\n');
  const [sandbox] = daytona.sandboxes;
  assert.deepEqual(sandbox?.made, {
    name: 'hermes-default',
    labels: { hermes_task_id: 'default' },
    buildInfo: { dockerfileContent: 'FROM an-image:1\n' },
    cpu: 2,
    memory: 5,
    disk: 10,
    autoStopInterval: 0,
  });
  await first.close();
  assert.equal(sandbox.state, 'stopped');
  assert.equal((await run(session(), 'cat ~/file')).output, 'kept\n');
  assert.equal(daytona.sandboxes.length, 1);
});

test('one that another program left with our label is taken, and one that is ours alone is removed', async (t) => {
  const { daytona, session } = await openDaytona(t);
  const older = daytona.add({ name: 'of-before', labels: { hermes_task_id: 'default' } });
  assert.equal((await run(session(), 'pwd')).output, `${older.home}\n`);
  const alone = session({ persists: false });
  await run(alone, 'true');
  const own = daytona.sandboxes.find(({ name }) => /^hermes-default-[0-9a-f]{8}$/.test(name));
  assert.deepEqual([own?.made['autoStopInterval'], own?.made['autoDeleteInterval']], [60, 0]);
  await alone.close();
  assert.equal(own?.state, 'destroyed');
});

test('sessions of this machine share the sandbox, and the last one stops it', async (t) => {
  const { daytona, session } = await openDaytona(t);
  const [one, other] = [session(), session()];
  await Promise.all([run(one, 'true'), run(other, 'true')]);
  await one.close();
  assert.equal(daytona.sandboxes[0]?.state, 'started');
  await other.close();
  assert.deepEqual(
    daytona.sandboxes.map(({ state }) => state),
    ['stopped'],
  );
});

test('a key that is refused is told with the variable, and no key is shown', async (t) => {
  const { session } = await openDaytona(t);
  const refused = session({ key: 'dtn_wrong' });
  await assert.rejects(run(refused, 'true'), told(/DAYTONA_API_KEY/, /refuses the key: Invalid credentials/));
});

test('without a network it says so in one line', async (t) => {
  const { session } = await openDaytona(t);
  const away = session({ url: 'http://127.0.0.1:9/api' });
  await assert.rejects(
    run(away, 'true'),
    told(/network/, /^Daytona cannot be reached: there is no connection to 127\.0\.0\.1:9: .*ECONNREFUSED/),
  );
});

test('an answer that is none of Daytona, and an image that cannot be built, are told', async (t) => {
  const { daytona, session } = await openDaytona(t);
  daytona.intercept = () => ({ status: 200, body: 'hello' });
  await assert.rejects(run(session(), 'true'), told(/DAYTONA_API_URL/, /something else than expected: "hello"/));
  daytona.intercept = () => undefined;
  daytona.add({ name: 'hermes-default', state: 'build_failed', errorReason: 'no such image' });
  await assert.rejects(run(session(), 'true'), told(/daytona_image/, /build_failed: no such image/));
});

test('a sandbox that vanishes while a command runs is told, and the command is not run again', async (t) => {
  const { daytona, session } = await openDaytona(t);
  const environment = session();
  await run(environment, 'export A=1');
  const [sandbox] = daytona.sandboxes;
  assert.ok(sandbox !== undefined);
  const running = run(environment, 'echo x >>~/runs; echo begun; sleep 30', {
    onOutput: (chunk) => chunk.includes('begun') && daytona.take(sandbox, 'stopped'),
  });
  await assert.rejects(
    running,
    /hermes-default is stopped\. The command had begun; whether it came to its end is not known/,
  );
  const next = await run(environment, 'echo "[$A]"; cat ~/runs');
  assert.equal(next.output, '[1]\nx\n');
  daytona.take(sandbox, 'destroyed');
  await assert.rejects(run(environment, 'true'), /hermes-default is gone/);
  assert.match((await run(environment, 'true')).note ?? '', /was made anew: what was exported before is lost/);
});

test('answers that get lost on the way neither fail a command nor run it twice', async (t) => {
  const { daytona, session } = await openDaytona(t);
  const environment = session();
  await run(environment, 'true');
  const [sandbox] = daytona.sandboxes;
  let calls = 0;
  // Every other answer is lost, after what was asked for was done.
  daytona.interceptDone = (request) => (request.endsWith('execute') && calls++ % 2 === 0 ? 'drop' : undefined);
  const { output, exitCode } = await run(environment, 'echo x >>~/runs; seq 200000; exit 3');
  assert.deepEqual([exitCode, output.slice(0, 6), output.slice(-7)], [3, '1\n2\n3\n', '200000\n']);
  assert.equal(readFileSync(join(sandbox?.home ?? '', 'runs'), 'utf8'), 'x\n');
  daytona.interceptDone = () => undefined;
  daytona.intercept = (request) => (request.endsWith('execute') ? { status: 502 } : undefined);
  await assert.rejects(
    run(environment, 'true'),
    told(/network/, /hermes-default cannot be reached: it answered with status 502/),
  );
});

test('an interrupt ends what runs in the sandbox, and the sandbox stays', async (t) => {
  const { daytona, session } = await openDaytona(t);
  const environment = session();
  await run(environment, 'true');
  const stop = new AbortController();
  const marker = uniqueSleep();
  const running = run(environment, `echo begun; ${marker}`, {
    signal: stop.signal,
    onOutput: (chunk) => chunk.includes('begun') && stop.abort(),
  });
  assert.equal((await running).ended, 'interrupt');
  await until(() => living(marker).length === 0, 'it has ended');
  assert.equal(daytona.sandboxes[0]?.state, 'started');
});

test('large input goes over as a file, output beyond what is read waits there, and nothing of it stays', async (t) => {
  const { daytona, session } = await openDaytona(t);
  const environment = session();
  const input = 'x'.repeat(3_000_000);
  assert.equal((await run(environment, 'wc -c', { stdin: input })).output.trim(), '3000000');
  assert.ok(daytona.requests.some((request) => request.endsWith('files/upload')));
  assert.equal((await run(environment, `head -c 30000000 /dev/zero | tr '\\0' y`)).totalChars, 30_000_000);
  const directories = daytona.commands.flatMap((command) => /hermes-run-[0-9a-f]+/.exec(command)?.[0] ?? []);
  assert.ok(directories.length > 0);
  await environment.close();
  assert.deepEqual(
    directories.filter((name) => existsSync(`/tmp/${name}`)),
    [],
  );
});
