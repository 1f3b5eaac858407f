/** The service whose browsers a session uses, as far as the settings and the environment name one. */
import { cloudBrowserVariables } from '../config/cloud-browser-variables.ts';
import { wayTo } from '../config/tool-gateway.ts';
import { webVariables } from '../config/web-variables.ts';
import { UserError } from '../lib/errors.ts';
import type { Fetch } from '../lib/fetch-over.ts';
import type { BrowserBackend } from '../tools/browser/backend.ts';
import { chooseCloud } from '../tools/browser/cloud/catalogue.ts';
import type { SessionParts } from './session-parts.ts';
import { type GatewayParts, toolGateway } from './tool-gateway.ts';

export interface ConfiguredCloud {
  /** For a person. */
  readonly name: string;
  /** Throws `UserError` where the settings name what there is not: another browser was not meant. */
  backend(): Promise<BrowserBackend>;
}

/** Undefined: the browser is one of this machine. */
export function configuredCloud(
  parts: Pick<SessionParts, 'config' | 'log' | 'plugins'> & GatewayParts,
  fetch: Fetch,
): ConfiguredCloud | undefined {
  const { env, log } = parts;
  const { use_gateway: isWanted, cloud_provider } = parts.config.config.browser;
  const { firecrawlKey, firecrawlUrl } = webVariables(env);
  const cloud = cloudBrowserVariables(env);
  const access = {
    fetch,
    cloud,
    browserUse: wayTo('browser-use', { isWanted, hasOwn: cloud.browserUseKey !== undefined }, toolGateway(parts)),
    firecrawl: { key: firecrawlKey, url: firecrawlUrl },
  };
  // Who wants the gateway has named what is behind it.
  const named = isWanted && ['auto', ''].includes(cloud_provider) ? 'browser-use' : cloud_provider;
  try {
    const entry = chooseCloud(named, access, parts.plugins?.added?.browsers);
    if (entry === undefined) return undefined;
    const backend = async () => {
      const { CloudBackend } = await import('../tools/browser/cloud/cloud-backend.ts');
      return new CloudBackend({ entry, access, log: log.named('browser') });
    };
    return { name: entry.name, backend };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { name: named, backend: () => Promise.reject(error) };
  }
}
