/** The browser of a session, as far as the settings give it one. */
import { homedir } from 'node:os';
import { browserVariables } from '../config/browser-variables.ts';
import type { Variables } from '../config/variables.ts';
import { proxyVariables } from '../config/proxy-variables.ts';
import { searchPathOf } from '../environments/local/search-path.ts';
import { isExecutable } from '../lib/is-executable.ts';
import { childEnvironment } from '../safety/child-env.ts';
import type { BrowserBackend } from '../tools/browser/backend.ts';
import { BrowserSession } from '../tools/browser/browser-session.ts';
import { BrowserSlots } from '../tools/browser/browser-slots.ts';
import { findChromium } from '../tools/browser/find-chromium.ts';
import type { NetworkRules } from '../tools/browser/network-rules.ts';
import { type BlockedSites, blockedMessage } from '../tools/web/blocked-sites.ts';
import type { OutsideRuns } from '../tools/services.ts';
import type { SessionParts } from './session-parts.ts';

type Parts = Pick<SessionParts, 'home' | 'env' | 'config' | 'log' | 'store' | 'browsers'>;

/** Looks for nothing and starts nothing by itself. */
export function sessionBrowser(parts: Parts, blocked: Pick<BlockedSites, 'find'>): BrowserSession {
  const {
    home,
    log,
    store,
    config: { config },
    browsers = new BrowserSlots(),
  } = parts;
  const { browser } = config;
  const chromium = onceFound(parts);
  return new BrowserSession({
    isThere: () => chromium() !== undefined,
    endpoint: browser.cdp_url === '' ? undefined : browser.cdp_url,
    backend: async (endpoint) =>
      endpoint === undefined ? await localBackend(parts, chromium()) : await runningBackend(endpoint),
    rules: async () => await networkRules(config, blocked),
    dialogs: { policy: browser.dialog_policy, timeoutSeconds: browser.dialog_timeout_s },
    idleSeconds: browser.inactivity_timeout,
    commandSeconds: browser.command_timeout,
    homePath: home.path,
    slots: browsers,
    log: log.named('browser'),
    within: (host, work) => ofPage(store?.outsideRuns, host, work),
  });
}

/** By the variables of a program, which all its sessions share: a gateway opens sessions all day. */
const foundBefore = new WeakMap<Variables, string>();

/** One that was not there is looked for again by the next session, and one that is gone as well. */
function onceFound({ env }: Parts): () => string | undefined {
  let found: { readonly path: string | undefined } | undefined;
  return () => (found ??= { path: knownOrFound(env) }).path;
}

function knownOrFound(env: Variables): string | undefined {
  const { executable: named, playwright } = browserVariables(env);
  const search = (): string | undefined =>
    findChromium({ named, playwright, searched: searchPathOf(env), userHome: homedir() });
  // One that is named needs no search, and may be named anew while the program runs.
  if (named !== undefined && named !== '') return search();
  const known = foundBefore.get(env);
  if (known !== undefined && isExecutable(known)) return known;
  const path = search();
  if (path !== undefined) foundBefore.set(env, path);
  return path;
}

async function networkRules(
  { browser, security }: Parts['config']['config'],
  blocked: Pick<BlockedSites, 'find'>,
): Promise<NetworkRules> {
  const { NetworkRules: Rules } = await import('../tools/browser/network-rules.ts');
  return new Rules(browser.allow_private_urls ?? (security.allow_private_urls || undefined), (url) => {
    const site = blocked.find(url);
    return site === undefined ? undefined : blockedMessage(site);
  });
}

async function runningBackend(endpoint: string): Promise<BrowserBackend> {
  const { CdpEndpoint } = await import('../tools/browser/cdp-endpoint.ts');
  return new CdpEndpoint(endpoint);
}

async function localBackend({ env, config: { config } }: Parts, executable: string | undefined) {
  if (executable === undefined) return undefined;
  const { LocalChromium } = await import('../tools/browser/local-chromium.ts');
  const backend: BrowserBackend = new LocalChromium({
    executable,
    env: childEnvironment(env),
    proxies: proxyVariables(env),
    headed: config.browser.headed,
    args: browserVariables(env).args,
  });
  return backend;
}

/** What is written meanwhile holds text of that page. */
async function ofPage(runs: OutsideRuns | undefined, host: string, work: () => Promise<void>): Promise<void> {
  const run = await runs?.begin({ from: 'page', name: host });
  try {
    await work();
  } finally {
    if (run !== undefined) await runs?.end(run);
  }
}
