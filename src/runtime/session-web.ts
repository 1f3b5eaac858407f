/** How the tools of a session reach the web: the keys of services, the network, and the login of xAI. */
import { systemClock } from '../agent/clock.ts';
import { modelVariables } from '../config/model-variables.ts';
import { wayTo } from '../config/tool-gateway.ts';
import type { Variables } from '../config/variables.ts';
import { webVariables, xaiAddress } from '../config/web-variables.ts';
import type { CredentialPool } from '../credentials/credential.ts';
import { namedKeys } from '../credentials/keys.ts';
import { type Fetch, fetchOver } from '../lib/fetch-over.ts';
import { BlockedSites } from '../tools/web/blocked-sites.ts';
import { FoundAddresses } from '../tools/web/found-addresses.ts';
import type { WebAccess, XaiAccess, XaiCredential } from '../tools/web/web-access.ts';
import type { ModelAccess } from './model-access.ts';
import type { SessionParts } from './session-parts.ts';
import { type GatewayParts, toolGateway } from './tool-gateway.ts';

type Parts = Pick<SessionParts, 'home' | 'env' | 'config' | 'log'> &
  Pick<GatewayParts, 'onToken'> & { readonly models?: ModelAccess };

/** Opens nothing before something is asked. */
export function sessionWeb(parts: Parts): WebAccess {
  const { home, env, log, models } = parts;
  const { config } = parts.config;
  const { network } = modelVariables(env);
  const variables = webVariables(env);
  const gateway = toolGateway(parts);
  let opened: Fetch | undefined;
  return {
    variables,
    get firecrawl() {
      const hasOwn = (variables.firecrawlKey ?? variables.firecrawlUrl) !== undefined;
      return wayTo('firecrawl', { isWanted: config.web.use_gateway, hasOwn }, gateway);
    },
    fetch(url, request) {
      opened ??= fetchOver({ ...network, ...(config.network.force_ipv4 ? { ipv4Only: true } : {}) });
      return opened(url, request);
    },
    proxies: network.proxies,
    xai: xaiAccess(env, models),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    found: new FoundAddresses(),
    blocked: new BlockedSites({
      list: config.security.website_blocklist,
      homePath: home.path,
      warn: (line) => log.named('web').warning(line),
    }),
  };
}

/** There is a login or a key for xAI, whatever it is worth. */
export function hasXai(env: Variables, models: ModelAccess | undefined): boolean {
  return xaiAccess(env, models).isThere();
}

/** The login goes before the key, and both come from the pools that the models use. */
function xaiAccess(env: Variables, models: ModelAccess | undefined): XaiAccess {
  const keys = () => namedKeys(['XAI_API_KEY'], env);
  const hasLogin = (provider: string) => models?.settings.stored?.has(provider) === true;
  const poolOf = async (provider: string) =>
    await models?.sources.services?.poolFor?.(provider, provider === 'xai' ? keys() : []);
  return {
    isThere: () => keys().length > 0 || hasLogin('xai-oauth') || hasLogin('xai'),
    async take(signal) {
      const login = hasLogin('xai-oauth')
        ? await takeFrom(await poolOf('xai-oauth'), 'xai-oauth', env, signal)
        : undefined;
      if (login !== undefined) return login;
      const stored = await takeFrom(await poolOf('xai'), 'xai', env, signal);
      if (stored !== undefined) return stored;
      const [key] = keys();
      if (key === undefined) return undefined;
      const credential = { id: key.source, label: key.source, secret: key.secret };
      return {
        kind: 'xai',
        baseUrl: withoutSlash(xaiAddress('xai', env)),
        credential,
        report: () => Promise.resolve(false),
      };
    },
  };
}

async function takeFrom(
  pool: CredentialPool | undefined,
  kind: XaiCredential['kind'],
  env: Variables,
  signal: AbortSignal,
): Promise<XaiCredential | undefined> {
  const credential = await pool?.take(signal);
  if (pool === undefined || credential === undefined) return undefined;
  return {
    kind,
    baseUrl: withoutSlash(credential.baseUrl ?? xaiAddress(kind, env)),
    credential,
    report: async (outcome, reportSignal) => (await pool.report(credential, outcome, reportSignal)) !== 'none',
  };
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}
