/** A real `sshd` on loopback that lets one generated key in. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { readProcessTable } from '../../src/environments/local/process-table.ts';
import { makeDirectory, until } from './support.ts';
import { freePort } from '../fakes/free-port.ts';

const sshd = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd'].find((path) => existsSync(path));

/** Why there can be no server here; undefined when there can. */
export function noSshServer(): string | undefined {
  if (sshd === undefined) return 'sshd is not installed';
  try {
    execFileSync('ssh', ['-V'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'ssh is not installed';
  }
}

export interface SshServer {
  readonly port: number;
  readonly user: string;
  /** Path of the private key it knows. */
  readonly key: string;
  /** An empty directory, and the HOME of whoever logs in. */
  readonly home: string;
  /** Arguments that keep `ssh` from reading and writing the user's own files. */
  readonly clientArgs: readonly string[];
  /** Ends it with all its connections. */
  stop(): Promise<void>;
}

/** @param scratch a short directory of the test's own */
export async function startSshServer(t: TestContext, scratch: string): Promise<SshServer> {
  const home = makeDirectory(t);
  for (const name of ['host', 'client']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(scratch, name)]);
  }
  const authorized = join(scratch, 'authorized');
  writeFileSync(authorized, execFileSync('ssh-keygen', ['-y', '-f', join(scratch, 'client')]), { mode: 0o600 });
  const port = await freePort();
  const config = join(scratch, 'sshd_config');
  const lines = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(scratch, 'host')}`,
    `AuthorizedKeysFile ${authorized}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin yes',
    `PidFile ${join(scratch, 'sshd.pid')}`,
    `SetEnv HOME=${home}`,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  // Where sshd drops its rights; it does not start without it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true });
  const child = spawn(sshd ?? 'sshd', ['-D', '-e', '-f', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (child.pid === undefined) return;
    // Its connections lead sessions of their own.
    const rows = await readProcessTable('no mark');
    const connections = rows.filter(({ parent }) => parent === child.pid).map(({ pid }) => pid);
    for (const pid of [child.pid, ...connections]) process.kill(pid, 'SIGKILL');
    await exited;
  };
  t.after(stop);
  await until(() => log.includes('Server listening') || child.exitCode !== null, 'sshd listens').catch(() => undefined);
  if (!log.includes('Server listening')) throw new Error(`sshd did not start: ${log}`);
  return {
    port,
    user: userInfo().username,
    key: join(scratch, 'client'),
    home,
    clientArgs: ['-F', '/dev/null', '-o', `UserKnownHostsFile=${join(scratch, 'known')}`, '-o', 'IdentitiesOnly=yes'],
    stop,
  };
}
