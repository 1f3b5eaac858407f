/** Where Telegram is asked, and how it is reached. */
import type { Network } from '../../../lib/connections.ts';
import type { ApiOptions } from './api.ts';
import { Fallback } from './fallback.ts';
import type { TelegramSettings } from './settings.ts';

export type EndpointSettings = Pick<
  TelegramSettings,
  | 'base_url'
  | 'base_file_url'
  | 'proxy'
  | 'fallback_ips'
  | 'disable_fallback_ips'
  | 'http_connect_timeout'
  | 'http_read_timeout'
  | 'http_write_timeout'
>;

const standardHost = 'api.telegram.org';
const standardRoot = `https://${standardHost}`;
/** One of Telegram's own, for networks that do not resolve the name. */
const knownAddress = '149.154.167.220';
/** Asked for the address only when Telegram cannot be reached otherwise. */
const resolvers = ['https://1.1.1.1/dns-query', 'https://8.8.8.8/resolve'];

/** `base_url` and `base_file_url` may end in `/bot`, as the original wants them, or be the address of the server alone. */
export function apiOptions(token: string, settings: EndpointSettings, network: Network): ApiOptions {
  const root = withoutBot(settings.base_url ?? standardRoot);
  const { http_connect_timeout: connect, http_read_timeout: read, http_write_timeout: write } = settings;
  return {
    token,
    root,
    fileRoot: settings.base_file_url === undefined ? `${root}/file` : withoutBot(settings.base_file_url),
    ...reached(settings, network),
    deadlineMs: (connect + read + write) * 1000,
  };
}

function reached(settings: EndpointSettings, network: Network): Pick<ApiOptions, 'network' | 'fallback'> {
  if (settings.proxy !== undefined) return { network: { ...network, proxies: proxies(settings.proxy) } };
  if (settings.base_url !== undefined || settings.disable_fallback_ips) return { network };
  const { fallback_ips: named } = settings;
  // Who names addresses wants these and nobody else asked.
  const known = named.length > 0 ? { addresses: named, resolvers: [] } : { addresses: [knownAddress], resolvers };
  const fallback = new Fallback({ host: standardHost, ...known, network });
  return { network: { ...network, lookup: fallback.lookup }, fallback };
}

function withoutBot(address: string): string {
  return address.replace(/\/+$/, '').replace(/\/bot(?:\{token\})?$/, '');
}

/** A proxy for Telegram is meant for Telegram, whatever `NO_PROXY` says. */
function proxies(proxy: string): NonNullable<Network['proxies']> {
  return { https: proxy, http: proxy };
}
