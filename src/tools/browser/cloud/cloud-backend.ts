/** A browser that a service lends for as long as it is open. */
import type { Log } from '../../../lib/log.ts';
import { errorMessage } from '../../../lib/errors.ts';
import type { BrowserBackend, OpenedBrowser, OpenOptions } from '../backend.ts';
import { CdpEndpoint } from '../cdp-endpoint.ts';
import type { CloudAccess, CloudBrowser, CloudEntry } from './cloud-browser.ts';
import { endMs } from './lent-browser.ts';

export interface CloudBackendOptions {
  readonly entry: CloudEntry;
  readonly access: CloudAccess;
  readonly log: Log;
}

export class CloudBackend implements BrowserBackend {
  readonly name: string;
  readonly isPersons = false;
  readonly isElsewhere = true;
  readonly keepsDialogs = false;
  readonly #options: CloudBackendOptions;

  constructor(options: CloudBackendOptions) {
    this.#options = options;
    this.name = options.entry.name;
  }

  async open({ rules, signal }: OpenOptions): Promise<OpenedBrowser> {
    const { entry, access } = this.#options;
    const service = await entry.load();
    const { id, endpoint } = await service.start({ access, signal });
    try {
      const told = { name: this.name, hint: 'Try again; browser.cloud_provider: local uses the one of this machine.' };
      const opened = await new CdpEndpoint(endpoint, told).open({ rules, signal });
      return {
        ...opened,
        close: async () => {
          await opened.close();
          await this.#end(service, id);
        },
      };
    } catch (error) {
      await this.#end(service, id);
      throw error;
    }
  }

  /** One that could not be given back ends by itself after a while. */
  async #end(service: CloudBrowser, id: string): Promise<void> {
    const { access, log } = this.#options;
    try {
      await service.end(id, { access, signal: AbortSignal.timeout(endMs) });
    } catch (error) {
      log.warning(`a browser of ${this.name} was not given back: ${errorMessage(error)}`);
    }
  }
}
