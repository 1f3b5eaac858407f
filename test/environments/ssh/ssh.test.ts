/** Commands on another machine, against a real `sshd` on loopback. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunResult } from '../../../src/environments/environment.ts';
import { createRemoteEnvironment } from '../../../src/environments/remote/remote-environment.ts';
import { createSshHost } from '../../../src/environments/ssh/ssh-host.ts';
import { noSshServer, startSshServer } from '../ssh-server.ts';
import { makeDirectory, until } from '../support.ts';
import { hostOf, openSsh } from './support.ts';

const missing = noSshServer();
const options = missing === undefined ? {} : { skip: missing };
const anySignal = new AbortController().signal;

test('commands share one connection, whose socket only its owner can reach', options, async (t) => {
  const { environment, server, scratch } = await openSsh(t);
  for (const command of ['true', 'true']) await environment.run(command, { timeoutMs: 20_000, signal: anySignal });
  const sockets = readdirSync(join(scratch, 'hermes-ssh'));
  assert.match(sockets.join(), /^[0-9a-f]{16}\.sock$/);
  assert.equal(statSync(join(scratch, 'hermes-ssh')).mode & 0o777, 0o700);
  const ask = (): Promise<RunResult> =>
    environment.run('echo "$SSH_CONNECTION"', { timeoutMs: 20_000, signal: anySignal });
  const { output } = await ask();
  assert.match(output, new RegExp(` ${server.port}\n$`));
  assert.equal((await ask()).output, output);
});

test('a host that vanishes while a command runs is told, and the command is not run again', options, async (t) => {
  const { environment, server, scratch } = await openSsh(t);
  const counter = join(scratch, 'runs');
  const running = environment.run(`echo x >>${counter}; echo begun; sleep 30`, {
    timeoutMs: 60_000,
    signal: anySignal,
    onOutput: (chunk) => chunk.includes('begun') && void server.stop(),
  });
  await assert.rejects(
    running,
    /no connection to ssh .*The command had begun; whether it came to its end is not known/,
  );
  await until(() => existsSync(counter), 'it ran');
  await assert.rejects(environment.run('true', { timeoutMs: 20_000, signal: anySignal }), /no connection to ssh/);
});

test('a key that the host does not know is told with what to do', options, async (t) => {
  const scratch = makeDirectory(t);
  const server = await startSshServer(t, scratch);
  const host = hostOf(server, scratch, { key: join(scratch, 'host') });
  const environment = createRemoteEnvironment({ host, cwd: '~' });
  t.after(() => environment.close());
  await assert.rejects(environment.run('true', { timeoutMs: 20_000, signal: anySignal }), (error: Error) => {
    assert.match(error.message, /Permission denied/);
    assert.match(String(Reflect.get(error, 'hint')), /ssh_key/);
    return true;
  });
});

test('names that ssh would take for options are refused', () => {
  for (const name of ['-oProxyCommand=x', 'a b', '', 'a@b']) {
    assert.throws(() => createSshHost({ host: name, user: 'me', port: 22, env: {} }), /is no host for ssh/);
  }
});
