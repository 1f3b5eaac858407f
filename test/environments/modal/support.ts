/** An environment in a sandbox of a Modal that is a server of this machine. */
import type { TestContext } from 'node:test';
import type { Environment } from '../../../src/environments/environment.ts';
import { createModalHost, type ModalHostOptions } from '../../../src/environments/modal/modal-host.ts';
import { createRemoteEnvironment } from '../../../src/environments/remote/remote-environment.ts';
import { noLog } from '../../../src/lib/log.ts';
import { type FakeModal, startModalServer } from '../../fakes/modal-server.ts';
import { makeDirectory } from '../support.ts';

export interface ModalSetup {
  readonly modal: FakeModal;
  readonly directory: string;
  /** Another session, as another process would open it. */
  readonly session: (more?: Partial<ModalHostOptions>) => Environment;
}

export async function openModal(t: TestContext): Promise<ModalSetup> {
  const opened: Environment[] = [];
  // Before the server goes.
  t.after(() => Promise.all(opened.map((environment) => environment.close())));
  const directory = makeDirectory(t);
  const modal = await startModalServer(t, directory);
  return {
    modal,
    directory,
    session(more = {}) {
      const host = createModalHost({
        connect: () => modal.connect(),
        owner: 'owner',
        task: 'default',
        homePath: directory,
        image: 'an-image:1',
        cpus: 2,
        memoryMb: 5120,
        persists: true,
        idleMs: 600_000,
        notes: `${directory}/notes`,
        log: noLog,
        ...more,
      });
      const environment = createRemoteEnvironment({ host, cwd: '~' });
      opened.push(environment);
      return environment;
    },
  };
}
