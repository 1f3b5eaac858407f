/** An environment in a sandbox of a Daytona that is a server of this machine. */
import type { TestContext } from 'node:test';
import { createDaytonaHost, type DaytonaHostOptions } from '../../../src/environments/daytona/daytona-host.ts';
import type { Environment } from '../../../src/environments/environment.ts';
import { createRemoteEnvironment } from '../../../src/environments/remote/remote-environment.ts';
import { fetchOver } from '../../../src/lib/fetch-over.ts';
import { noLog } from '../../../src/lib/log.ts';
import { type FakeDaytona, startDaytonaServer } from '../../fakes/daytona-server.ts';
import { makeDirectory } from '../support.ts';

export interface DaytonaSetup {
  readonly daytona: FakeDaytona;
  /** Another session, as another process would open it. */
  readonly session: (
    more?: Partial<DaytonaHostOptions> & { readonly key?: string; readonly url?: string },
  ) => Environment;
}

export async function openDaytona(t: TestContext): Promise<DaytonaSetup> {
  const opened: Environment[] = [];
  // Before the server goes.
  t.after(() => Promise.all(opened.map((environment) => environment.close())));
  const directory = makeDirectory(t);
  const daytona = await startDaytonaServer(t, directory);
  return {
    daytona,
    session({ key = daytona.key, url = daytona.url, ...more } = {}) {
      const host = createDaytonaHost({
        access: { apiKey: key, apiUrl: url, fetch: fetchOver({}) },
        task: 'default',
        image: 'an-image:1',
        cpus: 2,
        memoryMb: 5120,
        diskMb: 51_200,
        persists: true,
        notes: `${directory}/notes`,
        log: noLog,
        lookMs: 5,
        retryWaitsMs: [5, 5],
        ...more,
      });
      const environment = createRemoteEnvironment({ host, cwd: '~' });
      opened.push(environment);
      return environment;
    },
  };
}
