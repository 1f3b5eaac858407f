/** Browsers of Firecrawl, or of a server of one's own with the same API. https://docs.firecrawl.dev/features/browser */
import * as z from 'zod';
import { askForText, askService, below } from '../../web/backends/ask-service.ts';
import { usualFirecrawl } from '../../web/backends/usual-addresses.ts';
import type { CloudBrowser, CloudRequest } from './cloud-browser.ts';
import { endpoint, endMs, lentId, startMs } from './lent-browser.ts';

const name = 'Firecrawl';

const started = z.looseObject({ id: lentId, cdpUrl: endpoint });

export const firecrawl: CloudBrowser = {
  async start(request) {
    const body = { ttl: request.access.cloud.firecrawlSeconds };
    const call = { name, url: addressOf(request, ''), headers: headersOf(request), body, timeoutMs: startMs };
    const { id, cdpUrl } = await askService(call, started, request);
    return { id, endpoint: cdpUrl };
  },

  async end(id, request) {
    const call = { name, url: addressOf(request, `/${id}`), headers: headersOf(request) };
    await askForText({ ...call, method: 'DELETE', timeoutMs: endMs }, request);
  },
};

function addressOf({ access }: CloudRequest, path: string): string {
  return below(access.firecrawl.url ?? usualFirecrawl, `/v2/browser${path}`);
}

function headersOf({ access }: CloudRequest): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${access.firecrawl.key ?? ''}` };
}
