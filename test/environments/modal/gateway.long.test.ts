/** Sandboxes of Modal behind the tool gateway: how they are made, shared and kept, and what is told when something goes wrong. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Environment, RunOptions, RunResult } from '../../../src/environments/environment.ts';
import { openGateway } from './gateway-support.ts';

function run(environment: Environment, command: string, more: Partial<RunOptions> = {}): Promise<RunResult> {
  return environment.run(command, { timeoutMs: 30_000, signal: new AbortController().signal, ...more });
}

function told(hint: RegExp, message: RegExp): (error: Error) => boolean {
  return (error) => {
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n|token-of-the-test/);
    assert.match(String(Reflect.get(error, 'hint')), hint);
    return true;
  };
}

test('a sandbox is made as the settings say, and its files are those of the last time', async (t) => {
  const { gateway, session } = await openGateway(t);
  const first = session();
  await run(first, 'echo kept >~/file');
  assert.deepEqual(gateway.sandboxes[0]?.made, {
    image: 'an-image:1',
    cwd: '/',
    cpu: 2,
    memoryMiB: 5120,
    timeoutMs: 3_600_000,
    idleTimeoutMs: 600_000,
    persistentFilesystem: true,
    logicalKey: 'default',
  });
  await first.close();
  assert.equal(gateway.sandboxes[0]?.isRunning, false);
  assert.equal((await run(session(), 'cat ~/file')).output, 'kept\n');
  assert.equal(gateway.sandboxes.length, 2);
});

test('without container_persistent it is ours alone and nothing is kept', async (t) => {
  const { gateway, session } = await openGateway(t);
  const [one, other] = [session({ persists: false, idleMs: 2000 }), session({ persists: false })];
  await run(one, 'echo lost >~/file');
  assert.equal((await run(other, 'ls ~')).output, '');
  const [{ made }] = gateway.sandboxes as [(typeof gateway.sandboxes)[number]];
  assert.match(made.logicalKey, /^default-[0-9a-f]{8}$/);
  assert.deepEqual([made.persistentFilesystem, made.idleTimeoutMs], [false, 300_000]);
  await one.close();
  await other.close();
  assert.deepEqual(
    gateway.sandboxes.map(({ isRunning, home }) => [isRunning, existsSync(`${home}.kept`)]),
    [
      [false, false],
      [false, false],
    ],
  );
});

test('sessions of this machine share the sandbox, and the last one keeps and ends it', async (t) => {
  const { gateway, session } = await openGateway(t);
  const [one, other] = [session(), session()];
  await Promise.all([run(one, 'touch ~/one'), run(other, 'touch ~/other')]);
  assert.equal(gateway.sandboxes.length, 1);
  await one.close();
  assert.equal(gateway.sandboxes[0]?.isRunning, true);
  assert.equal((await run(other, 'ls ~')).output, 'one\nother\n');
  await other.close();
  assert.equal(gateway.sandboxes[0]?.isRunning, false);
});

test('a token that is refused is told with what to do, and is not shown', async (t) => {
  const { session } = await openGateway(t);
  await assert.rejects(run(session({ token: 'token-of-the-test-wrong' }), 'true'), {
    message: 'Modal cannot be reached: it refused it (401: Invalid token). Renew it at the portal.',
  });
});

test('without a network it says so in one line', async (t) => {
  const { session } = await openGateway(t);
  await assert.rejects(
    run(session({ url: 'http://127.0.0.1:9' }), 'true'),
    told(/network/, /^The tool gateway cannot be reached: there is no connection to 127\.0\.0\.1:9: .*ECONNREFUSED/),
  );
});

test('an answer that is none of the gateway, and an image that is not to be had, are told', async (t) => {
  const { gateway, session } = await openGateway(t);
  gateway.intercept = () => ({ status: 200, body: 'hello' });
  await assert.rejects(run(session(), 'true'), told(/MODAL_GATEWAY_URL/, /something else than expected: "hello"/));
  gateway.intercept = () => undefined;
  const refused = session({ image: 'no-such-image' });
  await assert.rejects(run(refused, 'true'), told(/modal_image/, /status 422: Image no-such-image not found/));
});

test('a sandbox whose making was answered to nobody is not made twice', async (t) => {
  const { gateway, session } = await openGateway(t);
  let lost = 1;
  gateway.interceptDone = (request) => (request === 'POST /v1/sandboxes' && lost-- > 0 ? 'drop' : undefined);
  const environment = session();
  await assert.rejects(run(environment, 'true'), told(/network/, /cannot be reached/));
  assert.equal((await run(environment, 'echo here')).output, 'here\n');
  assert.equal(gateway.sandboxes.length, 1);
});

test('a sandbox that vanishes while a command runs is told, and the command is not run again', async (t) => {
  const { gateway, session } = await openGateway(t);
  const environment = session();
  await run(environment, 'export A=1');
  const [sandbox] = gateway.sandboxes;
  assert.ok(sandbox !== undefined);
  const running = run(environment, 'echo x >>~/runs; echo begun; sleep 30', {
    onOutput: (chunk) => chunk.includes('begun') && gateway.take(sandbox, true),
  });
  await assert.rejects(
    running,
    told(/files that were last kept/, /is gone: .* The command had begun; whether it came to its end is not known/),
  );
  const next = await run(environment, 'echo "[${A-}]"; cat ~/runs');
  assert.equal(next.output, '[]\nx\n');
  assert.match(next.note ?? '', /was made anew: what was exported before is lost/);
});

test('answers that get lost on the way neither fail a command nor run it twice', async (t) => {
  const { gateway, session } = await openGateway(t);
  const environment = session();
  await run(environment, 'true');
  const [sandbox] = gateway.sandboxes;
  let calls = 0;
  // Every other answer is lost, after what was asked for was done.
  gateway.interceptDone = (request) => (request.includes('/execs') && calls++ % 2 === 0 ? 'drop' : undefined);
  const { output, exitCode } = await run(environment, 'echo x >>~/runs; seq 200000; exit 3');
  assert.deepEqual([exitCode, output.slice(0, 6), output.slice(-7)], [3, '1\n2\n3\n', '200000\n']);
  assert.equal(readFileSync(join(sandbox?.home ?? '', 'runs'), 'utf8'), 'x\n');
  // What is cut off is not taken for the whole.
  calls = 0;
  const cut = { status: 200, body: { status: 'completed', output: '=end 0\n', returncode: 0 } };
  gateway.interceptDone = (request) => (request.endsWith('/execs') && calls++ === 0 ? cut : undefined);
  assert.equal((await run(environment, 'echo whole')).output, 'whole\n');
  gateway.interceptDone = () => undefined;
  gateway.intercept = (request) => (request.endsWith('/execs') ? { status: 502 } : undefined);
  await assert.rejects(run(environment, 'true'), told(/network/, /cannot be reached: it answered with status 502/));
});

test('input and variables stand in no command line, and large input goes over in pieces', async (t) => {
  const { gateway, session } = await openGateway(t);
  const environment = session();
  const input = 'x'.repeat(3_000_000);
  assert.equal((await run(environment, 'wc -c # secret-of-the-test', { stdin: input })).output.trim(), '3000000');
  assert.ok(gateway.commands.every(({ stdinData }) => stdinData.length <= 1_100_000));
  assert.ok(gateway.commands.every(({ command }) => command.length < 300 && !command.includes('secret-of-the-test')));
  assert.equal((await run(environment, `head -c 30000000 /dev/zero | tr '\\0' y`)).totalChars, 30_000_000);
  const texts = gateway.commands.flatMap(({ command, stdinData }) => [command, stdinData]);
  const directories = texts.flatMap((text) => /hermes-run-[0-9a-f]+/.exec(text)?.[0] ?? []);
  await environment.close();
  assert.deepEqual(
    directories.filter((name) => existsSync(`/tmp/${name}`) || existsSync(`/tmp/${name}.in`)),
    [],
  );
});
