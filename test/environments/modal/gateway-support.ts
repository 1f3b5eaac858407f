/** An environment in a sandbox of Modal behind a tool gateway that is a server of this machine. */
import type { TestContext } from 'node:test';
import type { Environment } from '../../../src/environments/environment.ts';
import { createGatewayHost, type GatewayHostOptions } from '../../../src/environments/modal/gateway-host.ts';
import { createRemoteEnvironment } from '../../../src/environments/remote/remote-environment.ts';
import { fetchOver } from '../../../src/lib/fetch-over.ts';
import { noLog } from '../../../src/lib/log.ts';
import { type FakeModalGateway, startModalGateway } from '../../fakes/modal-gateway.ts';
import { makeDirectory } from '../support.ts';

export interface GatewaySetup {
  readonly gateway: FakeModalGateway;
  readonly directory: string;
  /** Another session, as another process would open it. */
  readonly session: (
    more?: Partial<GatewayHostOptions> & { readonly token?: string; readonly url?: string },
  ) => Environment;
}

export async function openGateway(t: TestContext): Promise<GatewaySetup> {
  const opened: Environment[] = [];
  // Before the server goes.
  t.after(() => Promise.all(opened.map((environment) => environment.close())));
  const directory = makeDirectory(t);
  const gateway = await startModalGateway(t, directory);
  return {
    gateway,
    directory,
    session({ token = gateway.token, url = gateway.url, ...more } = {}) {
      const door = {
        address: url,
        token: () => Promise.resolve(token),
        refusal: (status: number | undefined, told: string) =>
          status === 401 || status === 402 ? `it refused it (${status}: ${told}). Renew it at the portal.` : undefined,
      };
      const host = createGatewayHost({
        access: { door, fetch: fetchOver({}) },
        task: 'default',
        image: 'an-image:1',
        cpus: 2,
        memoryMb: 5120,
        persists: true,
        idleMs: 600_000,
        notes: `${directory}/notes`,
        log: noLog,
        retryWaitsMs: [5, 5],
        ...more,
      });
      const environment = createRemoteEnvironment({ host, cwd: '~' });
      opened.push(environment);
      return environment;
    },
  };
}
