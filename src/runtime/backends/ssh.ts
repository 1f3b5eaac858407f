/** Terminal backend `ssh`. */
import type { Environment } from '../../environments/environment.ts';
import { createRemoteEnvironment } from '../../environments/remote/remote-environment.ts';
import { createSshHost } from '../../environments/ssh/ssh-host.ts';
import { UserError } from '../../lib/errors.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import type { BackendParts } from './backend.ts';
import { expandHome, fileSync, remoteOptions } from './remote-options.ts';

export function open(parts: BackendParts): Environment {
  const { ssh_host: host, ssh_user: user, ssh_port: port, ssh_key: key } = parts.config.config.terminal;
  if (!host || !user) {
    throw new UserError('The ssh backend needs a host and a user.', {
      hint: 'hermes config set terminal.ssh_host HOST; hermes config set terminal.ssh_user USER',
    });
  }
  const ssh = createSshHost({
    host,
    user,
    port,
    ...(key ? { key: expandHome(key) } : {}),
    // Also for what the settings of ssh start, such as a ProxyCommand.
    env: childEnvironment(parts.env),
  });
  return createRemoteEnvironment({ ...remoteOptions(parts), host: ssh, sync: fileSync(parts) });
}
