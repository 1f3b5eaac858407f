/** How the tools of a session reach the web: the keys of services, the network, and the login of xAI. */
import { systemClock } from '../agent/clock.ts';
import { loadConfig } from '../config/load.ts';
import { modelVariables } from '../config/model-variables.ts';
import { wayTo } from '../config/tool-gateway.ts';
import { webVariables } from '../config/web-variables.ts';
import { type Fetch, fetchOver } from '../lib/fetch-over.ts';
import { BlockedSites, type SiteList } from '../tools/web/blocked-sites.ts';
import { FoundAddresses } from '../tools/web/found-addresses.ts';
import type { SessionWeb } from '../tools/web/session-web.ts';
import type { ModelAccess } from './model-access.ts';
import type { SessionParts } from './session-parts.ts';
import { type GatewayParts, toolGateway } from './tool-gateway.ts';
import { xaiAccess } from './xai-access.ts';

type Parts = Pick<SessionParts, 'home' | 'env' | 'config' | 'log' | 'plugins'> &
  Pick<GatewayParts, 'onToken'> & { readonly models?: ModelAccess };

/** The owner's list of sites as it stands in the file now. What is wrong in the file was told at the start. */
async function writtenList(home: Parts['home'], env: Parts['env']): Promise<SiteList | undefined> {
  const { user, config } = await loadConfig({ home, env });
  return user.state === 'broken' ? undefined : config.security.website_blocklist;
}

/** Opens nothing before something is asked. */
export function sessionWeb(parts: Parts): SessionWeb {
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
    ...(parts.plugins?.added === undefined ? {} : { added: parts.plugins.added.web }),
    xai: xaiAccess(env, models),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    found: new FoundAddresses(),
    blocked: new BlockedSites({
      list: config.security.website_blocklist,
      ...(parts.config.user.state === 'ignored' ? {} : { reload: () => writtenList(home, env) }),
      homePath: home.path,
      warn: (line) => log.named('web').warning(line),
    }),
  };
}
