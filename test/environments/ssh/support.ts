/** An environment on a real `sshd` of this machine. */
import type { TestContext } from 'node:test';
import type { Environment } from '../../../src/environments/environment.ts';
import type { RemoteHost } from '../../../src/environments/remote/host.ts';
import { createRemoteEnvironment } from '../../../src/environments/remote/remote-environment.ts';
import { createSshHost } from '../../../src/environments/ssh/ssh-host.ts';
import { type SshServer, startSshServer } from '../ssh-server.ts';
import { makeDirectory } from '../support.ts';

export interface SshSetup {
  readonly server: SshServer;
  readonly environment: Environment;
  readonly scratch: string;
}

export async function openSsh(t: TestContext): Promise<SshSetup> {
  const scratch = makeDirectory(t);
  const server = await startSshServer(t, scratch);
  const environment = createRemoteEnvironment({ host: hostOf(server, scratch), cwd: '~' });
  t.after(() => environment.close());
  return { server, environment, scratch };
}

export function hostOf(server: SshServer, scratch: string, more: { readonly key?: string } = {}): RemoteHost {
  return createSshHost({
    host: '127.0.0.1',
    user: server.user,
    port: server.port,
    key: server.key,
    env: { PATH: process.env['PATH'], HOME: server.home },
    scratch,
    extraArgs: server.clientArgs,
    ...more,
  });
}
