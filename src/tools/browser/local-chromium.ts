/** A browser that is started here, has a fresh profile and dies with us. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { BrowserBackend, OpenedBrowser, OpenOptions } from './backend.ts';
import { openBrowserProxy, ownFolder, type OwnNetwork } from './own-browser.ts';
import { ProxyToken } from './proxy-token.ts';

export interface LocalChromiumOptions extends OwnNetwork {
  readonly executable: string;
  /** What the browser sees of our environment. */
  readonly env: Readonly<Record<string, string>>;
  /** With a window. */
  readonly headed: boolean;
  /** `AGENT_BROWSER_ARGS`: in the place of what root needs. */
  readonly args?: readonly string[] | undefined;
}

const startMs = 60_000;

/**
 * Chromium is spoken to over a pipe: it ends when the pipe does, however we end. All it asks for goes through a proxy of
 * ours, which looks every name up once and connects to what was looked at: there redirects, frames, workers, WebSockets
 * and names that change their meaning are no other than the first address.
 */
export class LocalChromium implements BrowserBackend {
  readonly name = 'Chromium';
  readonly isPersons = false;
  readonly keepsDialogs = false;
  readonly #options: LocalChromiumOptions;

  constructor(options: LocalChromiumOptions) {
    this.#options = options;
  }

  async open({ rules, signal }: OpenOptions): Promise<OpenedBrowser> {
    const token = randomBytes(24).toString('base64url');
    const told = new ProxyToken(token);
    const [proxy, folder] = [openBrowserProxy(this.#options, { rules, token }), ownFolder()];
    const clear = async () => {
      await proxy.then((opened) => opened.close()).catch(() => undefined);
      await folder.then((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })).catch(() => undefined);
    };
    try {
      // The driver takes longest to load.
      const [{ port }, path] = await Promise.all([proxy, folder, import('playwright-core')]);
      const context = await this.#start(path, port, signal);
      return {
        context,
        guard: (page) => told.answerIn(page),
        downloads: join(path, 'downloads'),
        async close() {
          await context.close().catch(() => undefined);
          await clear();
        },
      };
    } catch (error) {
      await clear();
      signal.throwIfAborted();
      throw new UserError(`The browser ${this.#options.executable} did not start: ${firstLine(error)}`, {
        hint: 'Start it by hand to see why, or name another one in AGENT_BROWSER_EXECUTABLE_PATH.',
        cause: error,
      });
    }
  }

  async #start(folder: string, port: number, signal: AbortSignal): Promise<BrowserContext> {
    // Root has no sandbox of Chromium, and where user namespaces are shut nobody has.
    const isRoot = process.getuid?.() === 0;
    try {
      return await this.#launch(folder, port, !isRoot, signal);
    } catch (error) {
      if (isRoot || !/no usable sandbox|sandbox_host|zygote_host/i.test(errorMessage(error))) throw error;
      return await this.#launch(folder, port, false, signal);
    }
  }

  async #launch(folder: string, port: number, sandbox: boolean, signal: AbortSignal): Promise<BrowserContext> {
    const { executable, env, headed, args } = this.#options;
    const { chromium } = await import('playwright-core');
    signal.throwIfAborted();
    return await chromium.launchPersistentContext(join(folder, 'profile'), {
      executablePath: executable,
      headless: !headed,
      chromiumSandbox: sandbox || args !== undefined,
      // What it writes besides its profile, such as reports of crashes and lists of fonts, goes with it.
      env: { ...env, XDG_CONFIG_HOME: join(folder, 'config'), XDG_CACHE_HOME: join(folder, 'cache') },
      timeout: startMs,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      downloadsPath: join(folder, 'downloads'),
      viewport: { width: 1280, height: 720 },
      // A page that opens windows by itself is kept from it.
      ignoreDefaultArgs: ['--disable-popup-blocking'],
      args: [
        ...(args ?? ['--disable-dev-shm-usage']),
        `--proxy-server=http://127.0.0.1:${port}`,
        // Without this Chromium goes around its proxy to this machine.
        '--proxy-bypass-list=<-loopback>',
        // What is no HTTP does not go around it either.
        '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
        '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
      ],
    });
  }
}

function firstLine(error: unknown): string {
  return errorMessage(error).split('\n', 1)[0] ?? '';
}
