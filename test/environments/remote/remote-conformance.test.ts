/** What all remote environments are built on, over the simplest host there is: a shell of this machine. */
import type { RemoteHost } from '../../../src/environments/remote/host.ts';
import { createRemoteEnvironment } from '../../../src/environments/remote/remote-environment.ts';
import { runClient } from '../../../src/environments/remote/run-client.ts';
import { conformance } from '../conformance.ts';
import { living, makeDirectory } from '../support.ts';

conformance('remote', (t) => {
  const directory = makeDirectory(t);
  const env = { HOME: directory, PATH: process.env['PATH'], LANG: 'C.UTF-8' };
  const host: RemoteHost = {
    kind: 'ssh',
    name: 'a shell',
    open: () => Promise.resolve(),
    exec: (command, run) => runClient(['/bin/sh', '-c', command], env, run),
    close: () => Promise.resolve(),
  };
  const environment = createRemoteEnvironment({ host, cwd: '~' });
  t.after(() => environment.close());
  return Promise.resolve({ environment, directory, living: (text) => Promise.resolve(living(text)) });
});
