/** The simplest host there is: a shell of this machine with a home of its own. */
import type { Variables } from '../../../src/config/variables.ts';
import type { RemoteHost } from '../../../src/environments/remote/host.ts';
import { runClient } from '../../../src/environments/remote/run-client.ts';

export function shellHost(home: string, variables: Variables = {}): RemoteHost {
  const env = { HOME: home, PATH: process.env['PATH'], LANG: 'C.UTF-8', ...variables };
  return {
    kind: 'ssh',
    name: 'a shell',
    open: () => Promise.resolve(),
    exec: (command, run) => runClient(['/bin/sh', '-c', command], env, run),
    close: () => Promise.resolve(),
  };
}
