/** Browser Use. https://docs.browser-use.com/cloud/browsers */
import * as z from 'zod';
import { UserError } from '../../../lib/errors.ts';
import { askForText, askService } from '../../web/backends/ask-service.ts';
import type { CloudBrowser, CloudRequest } from './cloud-browser.ts';
import { endpoint, endMs, lentId, startMs } from './lent-browser.ts';

const browsers = 'https://api.browser-use.com/api/v3/browsers';
const name = 'Browser Use';

const started = z.looseObject({ id: lentId, cdpUrl: endpoint.nullish(), connectUrl: endpoint.nullish() });

export const browserUse: CloudBrowser = {
  async start(request) {
    const call = { name, url: browsers, headers: headersOf(request), body: {}, timeoutMs: startMs };
    const { id, cdpUrl, connectUrl } = await askService(call, started, request);
    const address = cdpUrl ?? connectUrl;
    if (typeof address === 'string') return { id, endpoint: address };
    await browserUse.end(id, request).catch(() => undefined);
    throw new UserError(`${name} lent a browser without saying where it is.`);
  },

  async end(id, request) {
    const call = { name, url: `${browsers}/${id}`, headers: headersOf(request), body: { action: 'stop' } };
    await askForText({ ...call, method: 'PATCH', timeoutMs: endMs }, request);
  },
};

function headersOf({ access }: CloudRequest): Readonly<Record<string, string>> {
  return { 'x-browser-use-api-key': access.cloud.browserUseKey ?? '' };
}
