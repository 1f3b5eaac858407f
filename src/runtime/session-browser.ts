/** The browser of a session, as far as the settings give it one. */
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { browserVariables } from '../config/browser-variables.ts';
import type { Variables } from '../config/variables.ts';
import { proxyVariables } from '../config/proxy-variables.ts';
import { searchPathOf } from '../environments/local/search-path.ts';
import { isExecutable } from '../lib/is-executable.ts';
import { childEnvironment } from '../safety/child-env.ts';
import type { BrowserBackend } from '../tools/browser/backend.ts';
import { BrowserSession } from '../tools/browser/browser-session.ts';
import { BrowserSlots } from '../tools/browser/browser-slots.ts';
import { BrowserEngine } from '../tools/browser/engine.ts';
import { findChromium } from '../tools/browser/find-chromium.ts';
import type { NetworkRules } from '../tools/browser/network-rules.ts';
import type { Recording } from '../tools/browser/recording.ts';
import { Sidecar } from '../tools/browser/sidecar.ts';
import { type BlockedSites, blockedMessage } from '../tools/web/blocked-sites.ts';
import type { OutsideRuns } from '../tools/services.ts';
import type { WebAccess } from '../tools/web/web-access.ts';
import { configuredCamofox } from './configured-camofox.ts';
import { configuredCloud } from './configured-cloud.ts';
import type { SessionParts } from './session-parts.ts';
import type { GatewayParts } from './tool-gateway.ts';

type Parts = Pick<SessionParts, 'home' | 'env' | 'config' | 'log' | 'store' | 'browsers'> & GatewayParts;

/** Looks for nothing and starts nothing by itself. */
export function sessionBrowser(
  parts: Parts,
  web: Pick<WebAccess, 'blocked' | 'fetch'>,
  sessionId: string,
): BrowserSession {
  const { home, log, store, browsers = new BrowserSlots() } = parts;
  const { config } = parts.config;
  const { browser } = config;
  const chromium = onceFound(parts);
  const local = () => localBackend(parts, chromium());
  const own = {
    isThere: () => chromium() !== undefined,
    backend: local,
    rules: async ({ isElsewhere }: BrowserBackend) => await networkRules(config, web.blocked, isElsewhere === true),
    dialogs: { policy: browser.dialog_policy, timeoutSeconds: browser.dialog_timeout_s },
    idleSeconds: browser.inactivity_timeout,
    commandSeconds: browser.command_timeout,
    homePath: home.path,
    slots: browsers,
    log: log.named('browser'),
    within: (host: string, work: () => Promise<void>) => ofPage(store?.outsideRuns, host, work),
    ...(browser.record_sessions ? { recording: () => recordingOf(parts) } : {}),
  };
  const camofox = configuredCamofox(parts, sessionId, {
    fetch: web.fetch,
    rules: () => networkRules(config, web.blocked, false),
    within: own.within,
  });
  const cloud = camofox === undefined ? configuredCloud(parts, web.fetch) : undefined;
  const beside = cloud !== undefined && browser.auto_local_for_private_urls;
  const engine =
    camofox === undefined && cloud === undefined && browser.engine === 'lightpanda'
      ? new BrowserEngine({ lightpanda: () => lightpandaBackend(parts), chrome: local })
      : undefined;
  return new BrowserSession({
    ...own,
    ...(engine === undefined
      ? {}
      : { engine, isThere: () => lightpandaIn(parts) !== undefined || chromium() !== undefined }),
    ...(camofox === undefined ? {} : { isThere: () => true, camofox }),
    ...(cloud === undefined ? {} : { isThere: () => true, cloud: cloud.name }),
    ...(beside ? { sidecar: new Sidecar(() => new BrowserSession(own)) } : {}),
    endpoint: browser.cdp_url === '' ? undefined : browser.cdp_url,
    backend: async (endpoint) =>
      endpoint === undefined
        ? await (cloud?.backend() ?? engine?.backend() ?? local())
        : await runningBackend(endpoint),
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

async function recordingOf({ home, env, log, store }: Parts): Promise<Recording | undefined> {
  const ffmpeg = programIn('ffmpeg', env);
  if (ffmpeg === undefined) {
    log
      .named('browser')
      .warning('the browser is not recorded: browser.record_sessions wants ffmpeg, which is not in PATH');
    return undefined;
  }
  const { Recording: Film } = await import('../tools/browser/recording.ts');
  return new Film({
    ffmpeg,
    env: childEnvironment(env),
    homePath: home.path,
    log: log.named('browser'),
    within: (host, work) => ofPage(store?.outsideRuns, host, work),
  });
}

async function networkRules(
  { browser, security }: Parts['config']['config'],
  blocked: Pick<BlockedSites, 'find'>,
  isElsewhere: boolean,
): Promise<NetworkRules> {
  const { NetworkRules: Rules } = await import('../tools/browser/network-rules.ts');
  // The network around a browser elsewhere is nobody's to look into.
  const usual = isElsewhere ? false : undefined;
  return new Rules(browser.allow_private_urls ?? (security.allow_private_urls || usual), (url) => {
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

async function lightpandaBackend(parts: Parts): Promise<BrowserBackend> {
  const { Lightpanda } = await import('../tools/browser/lightpanda.ts');
  const { env, log } = parts;
  return new Lightpanda({
    executable: lightpandaIn(parts),
    env: childEnvironment(env),
    proxies: proxyVariables(env),
    log: log.named('browser'),
  });
}

function lightpandaIn({ env }: Pick<Parts, 'env'>): string | undefined {
  return programIn('lightpanda', env);
}

function programIn(name: string, env: Variables): string | undefined {
  return searchPathOf(env)
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => isAbsolute(path) && isExecutable(path));
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
