/** Browser Use, with a key or through the tool gateway. https://docs.browser-use.com/cloud/browsers */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { UserError } from '../../../lib/errors.ts';
import { askForText, askService, type ServiceCall } from '../../web/backends/ask-service.ts';
import type { CloudBrowser, CloudRequest } from './cloud-browser.ts';
import { endpoint, endMs, lentId, startMs } from './lent-browser.ts';

const own = 'https://api.browser-use.com/api/v3';
const name = 'Browser Use';
/** One that the subscription pays for is short, as it is paid for as long as it may last. */
const throughGateway = { timeout: 5, proxyCountryCode: 'us' };

const started = z.looseObject({ id: lentId, cdpUrl: endpoint.nullish(), connectUrl: endpoint.nullish() });

export const browserUse: CloudBrowser = {
  async start(request) {
    const { headers, ...reached } = await reach(request);
    const isGateway = reached.gateway !== undefined;
    const call = {
      ...reached,
      headers: { ...headers, ...(isGateway ? { 'x-idempotency-key': randomUUID() } : {}) },
      body: isGateway ? throughGateway : {},
      timeoutMs: startMs,
    };
    const { id, cdpUrl, connectUrl } = await askService(call, started, request);
    const address = cdpUrl ?? connectUrl;
    if (typeof address === 'string') return { id, endpoint: address };
    await browserUse.end(id, request).catch(() => undefined);
    throw new UserError(`${name} lent a browser without saying where it is.`);
  },

  async end(id, request) {
    const { url, ...reached } = await reach(request);
    const body = { action: 'stop' };
    await askForText({ ...reached, url: `${url}/${id}`, method: 'PATCH', body, timeoutMs: endMs }, request);
  },
};

type Reached = Pick<ServiceCall, 'name' | 'url' | 'headers' | 'gateway'>;

async function reach({ access: { cloud, browserUse: way }, signal }: CloudRequest): Promise<Reached> {
  const gateway = way.kind === 'gateway' ? way : undefined;
  const key = gateway === undefined ? (cloud.browserUseKey ?? '') : await gateway.token(signal);
  return { name, url: `${gateway?.address ?? own}/browsers`, headers: { 'x-browser-use-api-key': key }, gateway };
}
