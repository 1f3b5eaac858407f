/** The browser of one session on a Camofox server: what is known of it before anything is asked, and when it ends. */
import { UserError, errorMessage } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { timerMs } from '../../../lib/timer-limit.ts';
import type { NetworkRules } from '../network-rules.ts';
import type { CamofoxIdentity } from './camofox-identity.ts';
import type { CamofoxPage } from './camofox-page.ts';
import type { CamofoxAccess, CamofoxServer, Limits } from './camofox-server.ts';

export interface CamofoxBrowserOptions extends CamofoxAccess {
  readonly identity: CamofoxIdentity;
  /** `browser.camofox.adopt_existing_tab` */
  readonly adopts: boolean;
  /** `browser.camofox.loopback_host_alias`, where loopback addresses are rewritten. */
  readonly loopbackAlias: string | undefined;
  readonly rules: () => Promise<NetworkRules>;
  /** `browser.inactivity_timeout`, seconds. */
  readonly idleSeconds: number;
  /** `browser.command_timeout`, seconds. */
  readonly commandSeconds: number;
  readonly homePath: string;
  readonly log: Log;
  readonly within: (host: string, work: () => Promise<void>) => Promise<void>;
  /** Ports where this program listens itself, which no page reaches; default: as the system tells. */
  readonly ownPorts?: () => Promise<ReadonlySet<number>>;
}

/** As commands use it. */
export interface OpenCamofox extends Limits {
  readonly page: CamofoxPage;
  readonly homePath: string;
  readonly loopbackAlias: string | undefined;
  /** Where the browser can be watched. */
  readonly vncUrl: string | undefined;
  /** Writes a file whose text is that of a page. */
  readonly keepFile: (address: string, work: () => Promise<void>) => Promise<void>;
}

interface Opened {
  readonly server: CamofoxServer;
  readonly page: CamofoxPage;
  readonly vncUrl: string | undefined;
}

export class CamofoxBrowser {
  readonly #options: CamofoxBrowserOptions;
  #opened: Opened | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: CamofoxBrowserOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#opened?.page.isOpen === true;
  }

  /** Logins stay with a user that is kept. */
  get isPersons(): boolean {
    return this.#options.identity.isKept;
  }

  get address(): URL | undefined {
    return this.#opened?.page.address;
  }

  offers(address: string): boolean {
    return this.#opened?.page.offers(address) === true;
  }

  /**
   * Runs one command. `opens`: it may be the first one, or take over a tab. Throws the signal's reason, and `UserError` when
   * no server answers or the command took too long.
   */
  async use<T>(
    { signal, opens, seconds = this.#options.commandSeconds }: UseCamofox,
    work: (open: OpenCamofox) => Promise<T>,
  ): Promise<T> {
    clearTimeout(this.#idle);
    const limit = AbortSignal.timeout(timerMs(seconds * 1000));
    const both = AbortSignal.any([signal, limit]);
    const { homePath, loopbackAlias, within } = this.#options;
    try {
      if (this.#opened === undefined && !opens) throw new UserError('No page is open: use browser_navigate first.');
      const { page, vncUrl } = (this.#opened ??= await this.#open(both));
      return await work({
        page,
        vncUrl,
        homePath,
        loopbackAlias,
        signal: both,
        timeoutMs: timerMs(seconds * 1000),
        keepFile: (address, write) => within(URL.parse(address)?.host ?? '', write),
      });
    } catch (error) {
      signal.throwIfAborted();
      if (limit.aborted) throw new UserError(`The page did not answer within ${seconds} seconds.`, { cause: error });
      throw error;
    } finally {
      this.#startIdle();
    }
  }

  /** What a kept user has open stays on the server. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const opened = this.#opened;
    this.#opened = undefined;
    const { identity, log } = this.#options;
    if (opened === undefined || identity.isKept) return;
    try {
      await opened.server.endSession(identity.userId);
    } catch (error) {
      log.warning(`the session on the Camofox server was not ended: ${errorMessage(error)}`);
    }
  }

  async #open(signal: AbortSignal): Promise<Opened> {
    const { identity, adopts, loopbackAlias, ownPorts = systemPorts } = this.#options;
    // Most sessions never open one.
    const [{ CamofoxServer: Server }, { CamofoxPage: Page }, rules] = await Promise.all([
      import('./camofox-server.ts'),
      import('./camofox-page.ts'),
      this.#options.rules(),
    ]);
    const server = new Server(this.#options);
    const { vncUrl } = await server.health(signal);
    return { server, vncUrl, page: new Page({ server, identity, adopts, loopbackAlias, rules, ownPorts }) };
  }

  #startIdle(): void {
    clearTimeout(this.#idle);
    // There is nothing to end of a user that is kept, and its tab is found again.
    if (this.#opened === undefined || this.#options.identity.isKept) return;
    this.#idle = setTimeout(() => void this.close(), timerMs(this.#options.idleSeconds * 1000)).unref();
  }
}

interface UseCamofox {
  readonly signal: AbortSignal;
  readonly opens: boolean;
  /** In the place of `commandSeconds`. */
  readonly seconds?: number;
}

async function systemPorts(): Promise<ReadonlySet<number>> {
  const { ownListeningPorts } = await import('../../../environments/local/sandbox/listening-ports.ts');
  return await ownListeningPorts();
}
