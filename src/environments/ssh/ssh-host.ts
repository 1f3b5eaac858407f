/** Another machine, reached with the `ssh` program of this one over one shared connection. */
import type { Variables } from '../../config/variables.ts';
import { errorCode, UserError } from '../../lib/errors.ts';
import { HostLostError, type HostEnd, type HostRun, type RemoteHost } from '../remote/host.ts';
import { runClient } from '../remote/run-client.ts';
import { controlSocket } from './control-socket.ts';

export interface SshTarget {
  readonly host: string;
  readonly user: string;
  readonly port: number;
  /** Path of a private key; without one, `ssh` takes what its own settings and agent have. */
  readonly key?: string;
  /** The environment of the `ssh` program itself: it needs HOME, PATH and the agent's socket. */
  readonly env: Variables;
  /** Where the directory of the shared connection is made. Default: the temporary directory. */
  readonly scratch?: string;
  /** More options of `ssh`, each as one argument. */
  readonly extraArgs?: readonly string[];
}

const connectLimitMs = 15_000;
/** What `ssh` exits with when it has no connection, or lost it. */
const noConnection = 255;

/** @throws UserError when host or user are no names */
export function createSshHost(target: SshTarget): RemoteHost {
  const { host, user, port, key, env, extraArgs = [] } = target;
  const address = `${asName(user, 'user')}@${asName(host, 'host')}`;
  const name = `ssh ${address}${port === 22 ? '' : `:${port}`}`;
  let socket: string | undefined;

  const shared = (): string[] =>
    socket === undefined ? [] : asOptions('ControlMaster=auto', 'ControlPersist=300', `ControlPath=${socket}`);
  const argv = (command: string): [string, ...string[]] => [
    'ssh',
    '-T',
    ...shared(),
    ...asOptions('BatchMode=yes', 'StrictHostKeyChecking=accept-new', 'ConnectTimeout=10'),
    // A host that vanished is noticed after this many unanswered questions.
    ...asOptions('ServerAliveInterval=15', 'ServerAliveCountMax=3'),
    '-p',
    String(port),
    ...(key === undefined ? [] : ['-i', key]),
    ...extraArgs,
    '--',
    address,
    command,
  ];

  const exec = async (command: string, run: HostRun): Promise<HostEnd> => {
    const end = await runClient(argv(command), env, run).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      throw new UserError('The program ssh is not installed here.', {
        hint: 'Install an SSH client, or choose another terminal.backend.',
      });
    });
    if (end.exitCode === noConnection) throw lost(name, end.complaint);
    return end;
  };

  return {
    kind: 'ssh',
    name,
    async open(signal) {
      socket ??= controlSocket(`${address}:${port}`, target.scratch);
      const deadline = AbortSignal.timeout(connectLimitMs);
      const probe = { input: new Uint8Array(), timeoutMs: connectLimitMs + 5000, onOutput: () => undefined };
      try {
        await exec('exit 0', { ...probe, signal: AbortSignal.any([signal, deadline]) });
      } catch (error) {
        if (deadline.aborted) throw lost(name, `no answer within ${connectLimitMs / 1000} s`);
        throw error;
      }
    },
    exec,
    // The shared connection may serve other sessions: it ends by itself when it has been idle.
    close: () => Promise.resolve(),
  };
}

function asOptions(...settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ['-o', setting]);
}

/** It becomes an argument of `ssh`, which must not take it for an option or for more than one word. */
function asName(text: string, what: string): string {
  if (/^[^-\s@][^\s@]*$/.test(text)) return text;
  throw new UserError(`${JSON.stringify(text)} is no ${what} for ssh.`, { hint: `Set terminal.ssh_${what}.` });
}

const hints: readonly (readonly [RegExp, string])[] = [
  [
    /REMOTE HOST IDENTIFICATION HAS CHANGED|Host key verification failed/i,
    'The key of this host is another one than before. If that is right: ssh-keygen -R HOST',
  ],
  [
    /Permission denied/i,
    'Set terminal.ssh_key to a key that the host knows, and that needs no passphrase or is in your ssh agent.',
  ],
  [/Could not resolve hostname/i, 'Check terminal.ssh_host.'],
  [
    /Connection refused|no answer|timed out|No route/i,
    'Check that the host is up, and terminal.ssh_host and terminal.ssh_port.',
  ],
];

function lost(name: string, complaint: string): HostLostError {
  const lines = complaint
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('@') && !line.startsWith('Warning: Permanently'));
  const said = lines.slice(-2).join('; ');
  const hint =
    hints.find(([pattern]) => pattern.test(complaint))?.[1] ?? 'Try it by hand: ssh, with the same host and user.';
  return new HostLostError(
    `There is no connection to ${name}${said === '' ? '.' : `: ${said}.`}`.replace(/\.+$/, '.'),
    { hint },
  );
}
