/** Lightpanda, a browser without a picture: started here, and gone with us. https://lightpanda.io/docs */
import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext } from 'playwright-core';
import { OwnProcesses } from '../../environments/local/own-processes.ts';
import { startTalking, type TalkingProgram } from '../../environments/local/talking-program.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { BrowserBackend, OpenedBrowser, OpenOptions } from './backend.ts';
import { openBrowserProxy, ownFolder, type OwnNetwork } from './own-browser.ts';

export interface LightpandaOptions extends OwnNetwork {
  /** Undefined where it is not installed. */
  readonly executable: string | undefined;
  /** What it sees of our environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: Log;
}

const startMs = 20_000;
const lookMs = 50;
const probeMs = 10_000;
/** What tells it to go around a proxy, or to another one. */
const proxyVariable = /^(?:no|all|https?|ftp|wss?)_proxy$/i;

/**
 * It is spoken to over a socket in a folder that only we can open. All it asks for goes through a proxy of ours, which it
 * knows from its environment, as arguments of a process are read by all users of the machine; nothing is opened before a
 * name that leads nowhere was seen there.
 */
export class Lightpanda implements BrowserBackend {
  readonly name = 'Lightpanda';
  readonly isPersons = false;
  readonly keepsDialogs = false;
  readonly #options: LightpandaOptions;

  constructor(options: LightpandaOptions) {
    this.#options = options;
  }

  async open({ rules, signal }: OpenOptions): Promise<OpenedBrowser> {
    const { executable, log } = this.#options;
    if (executable === undefined) throw new UserError('Lightpanda is not installed: there is no lightpanda in PATH.');
    const token = randomBytes(24).toString('base64url');
    const host = `${randomBytes(12).toString('hex')}.invalid`;
    let isSeen = false;
    const probe = { host, seen: () => void (isSeen = true) };
    const [proxy, folder] = [openBrowserProxy(this.#options, { rules, token, probe }), ownFolder()];
    const processes = new OwnProcesses(log);
    let program: TalkingProgram | undefined;
    let browser: Browser | undefined;
    const close = async () => {
      await browser?.close().catch(() => undefined);
      await program?.end().catch(() => undefined);
      await processes.endAll().catch(() => undefined);
      processes.release();
      await proxy.then((opened) => opened.close()).catch(() => undefined);
      await folder.then((path) => rm(path, { recursive: true, force: true, maxRetries: 5 })).catch(() => undefined);
    };
    try {
      const [{ port }, path] = await Promise.all([proxy, folder]);
      const socket = join(path, 'cdp');
      const env = { ...this.#ownEnvironment(port, token), HOME: path, XDG_CACHE_HOME: path, XDG_CONFIG_HOME: path };
      program = await startTalking([executable, 'serve', '--unix-socket', socket], { cwd: path, env, processes });
      program.output.resume();
      await listens(socket, program, signal);
      const { chromium } = await import('playwright-core');
      browser = await chromium.connectOverCDP(`ws+unix:${socket}:/`, { timeout: startMs });
      const context = browser.contexts()[0] ?? (await browser.newContext());
      await askFor(host, context, signal);
      if (!isSeen) throw new Error('it does not use the proxy that it is told to use');
      return { context, close };
    } catch (error) {
      await close();
      signal.throwIfAborted();
      const [line = ''] = errorMessage(error).split('\n', 1);
      throw new UserError(`Lightpanda (${executable}) did not start: ${line.replace(/\.$/, '')}.`, { cause: error });
    }
  }

  #ownEnvironment(port: number, token: string): Readonly<Record<string, string>> {
    const kept = Object.entries(this.#options.env).filter(([name]) => !proxyVariable.test(name));
    const address = `http://hermes:${token}@127.0.0.1:${port}`;
    const proxies = ['http_proxy', 'https_proxy', 'ws_proxy', 'wss_proxy', 'all_proxy', 'ALL_PROXY', 'HTTPS_PROXY'];
    return {
      ...Object.fromEntries(kept),
      ...Object.fromEntries(proxies.map((name) => [name, address])),
      LIGHTPANDA_DISABLE_TELEMETRY: 'true',
    };
  }
}

async function listens(socket: string, program: TalkingProgram, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
  const ended = program.exited.then((code) => {
    const [said = ''] = program.complaints().split('\n', 1);
    throw new Error(
      `it ended with ${code}${said === '' ? '' : `: ${said.slice(0, 200)}`}; version 1.0 or later is needed`,
    );
  });
  ended.catch(() => undefined);
  while ((await stat(socket).catch(() => undefined)) === undefined)
    await Promise.race([sleep(lookMs, undefined, { signal: limit }), ended]);
}

/** The answer is a refusal, whichever way it comes. */
async function askFor(host: string, context: BrowserContext, signal: AbortSignal): Promise<void> {
  const page = await context.newPage();
  await page.goto(`http://${host}/`, { timeout: probeMs, signal }).catch(() => undefined);
  await page.close();
}
