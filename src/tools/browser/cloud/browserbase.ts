/** Browserbase. https://docs.browserbase.com/reference/api/create-a-session */
import * as z from 'zod';
import { askForText, askService, below, ServiceRefusal } from '../../web/backends/ask-service.ts';
import type { CloudBrowser, CloudRequest } from './cloud-browser.ts';
import { endpoint, endMs, lentId, startMs } from './lent-browser.ts';

const usual = 'https://api.browserbase.com';
const name = 'Browserbase';

const none = { keepAlive: false, proxies: false };

const started = z.looseObject({ id: lentId, connectUrl: endpoint });

export const browserbase: CloudBrowser = {
  async start(request) {
    const { project, proxies, advancedStealth, keepAlive, seconds } = request.access.cloud.browserbase;
    const always = {
      projectId: project,
      ...(seconds === undefined ? {} : { timeout: seconds }),
      ...(advancedStealth ? { browserSettings: { advancedStealth } } : {}),
    };
    // What the plan of the owner does not have is gone without.
    const plans = [
      { keepAlive, proxies },
      ...(keepAlive ? [{ keepAlive: false, proxies }] : []),
      ...(proxies ? [none] : []),
    ];
    const url = addressOf(request, '/v1/sessions');
    for (const [at, plan] of plans.entries()) {
      const wishes = { ...(plan.keepAlive ? { keepAlive: true } : {}), ...(plan.proxies ? { proxies: true } : {}) };
      const call = { name, url, headers: headersOf(request), body: { ...always, ...wishes }, timeoutMs: startMs };
      try {
        const { id, connectUrl } = await askService(call, started, request);
        return { id, endpoint: connectUrl };
      } catch (error) {
        const isPlan = error instanceof ServiceRefusal && error.status === 402;
        if (!isPlan || at === plans.length - 1) throw error;
      }
    }
    throw new Error('there is always a plan');
  },

  async end(id, request) {
    const body = { projectId: request.access.cloud.browserbase.project, status: 'REQUEST_RELEASE' };
    const url = addressOf(request, `/v1/sessions/${id}`);
    await askForText({ name, url, headers: headersOf(request), body, timeoutMs: endMs }, request);
  },
};

function addressOf({ access }: CloudRequest, path: string): string {
  return below(access.cloud.browserbase.url ?? usual, path);
}

function headersOf({ access }: CloudRequest): Readonly<Record<string, string>> {
  return { 'x-bb-api-key': access.cloud.browserbase.key ?? '' };
}
