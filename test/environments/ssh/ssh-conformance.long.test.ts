/** Another machine keeps to what all environments keep to: a real `sshd` on loopback. */
import { conformance } from '../conformance.ts';
import { noSshServer } from '../ssh-server.ts';
import { living } from '../support.ts';
import { openSsh } from './support.ts';

const missing = noSshServer();

conformance(
  'ssh',
  async (t) => {
    const { environment, server } = await openSsh(t);
    return { environment, directory: server.home, living: (text) => Promise.resolve(living(text)) };
  },
  missing === undefined ? {} : { skip: missing },
);
