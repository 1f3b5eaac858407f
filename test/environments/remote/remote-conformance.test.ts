/** What all remote environments are built on, over the simplest host there is. */
import { createRemoteEnvironment } from '../../../src/environments/remote/remote-environment.ts';
import { conformance } from '../conformance.ts';
import { living, makeDirectory } from '../support.ts';
import { shellHost } from './shell-host.ts';

conformance('remote', (t) => {
  const directory = makeDirectory(t);
  const environment = createRemoteEnvironment({ host: shellHost(directory), cwd: '~' });
  t.after(() => environment.close());
  return Promise.resolve({ environment, directory, living: (text) => Promise.resolve(living(text)) });
});
