/** `browser_navigate`: opens a page. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { blockedMessage } from '../web/blocked-sites.ts';
import { actionsOf } from './actions.ts';
import { refusedAddress } from './check-address.ts';
import { judgeNavigation } from './judge-browsing.ts';
import { pageSources } from './page-sources.ts';

const parameters = z.object({ url: z.string() });

const usual = 'Open a page in the browser; returns its snapshot, with @e references for the other browser tools.';

export const browserNavigateTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_navigate',
  toolset: 'browser',
  description: {
    usual,
    of(tools) {
      const readers = ['web_search', 'web_extract'].filter((name) => tools.has(name));
      return readers.includes('web_extract') ? `${usual} To read only, prefer ${readers.join(' and ')}.` : usual;
    },
  },
  parameters,
  traits: { quotesOthers: true, longRunning: true },
  display: { emoji: '🌐', preview: ({ url }) => url },
  available: ({ state: { browser } }) => browser?.isThere === true,
  async judge({ url }, services) {
    const address = parseAddress(url);
    const refused = address === undefined ? 'not a valid web address' : refusedAddress(address, services.redact);
    if (address === undefined || refused !== undefined) {
      return { shown: url, findings: [], refused: { reason: String(refused), message: `Blocked: ${refused}.` } };
    }
    await services.state.web.blocked.refresh?.();
    const site = services.state.web.blocked.find(address);
    if (site !== undefined) {
      const message = blockedMessage(site);
      return { shown: url, findings: [], refused: { reason: message, message, by: 'owner' } };
    }
    return judgeNavigation(address, services.state.browser?.offers(address.href) === true, services);
  },
  sources: (_, services) => pageSources(services),
  refusal: (error) => ({ success: false, error }),
  parallel: 'never',
  execute: async ({ url }, context) => {
    const address = parseAddress(url);
    // What its server has seen once tells it nothing new.
    if (address !== undefined) context.services.state.web.found.add([address.href]);
    return await (await actionsOf(context)).openPage(context, address);
  },
});

/** What people write in the address line. */
function parseAddress(text: string): URL | undefined {
  const plain = text.trim();
  const url = URL.parse(plain);
  if (url !== null && /^[a-z][a-z\d+.-]*:\/\//i.test(plain)) return url;
  return URL.parse(`https://${plain}`) ?? undefined;
}
