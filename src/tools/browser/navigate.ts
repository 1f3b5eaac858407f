/** `browser_navigate`: opens a page. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { blockedMessage } from '../web/blocked-sites.ts';
import { NotDone, act, browse, pageSources } from './browse.ts';
import type { OpenTabs } from './browser-session.ts';
import { refusedAddress } from './check-address.ts';
import { judgeNavigation } from './judge-browsing.ts';
import { showPage } from './show-page.ts';

const parameters = z.object({ url: z.string() });
const settleMs = 4000;
const leastSeconds = 60;
const hungMs = 2000;

const usual = 'Open a page in the browser; returns its snapshot, with @e references for the other browser tools.';

export const browserNavigateTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_navigate',
  toolset: 'browser',
  description: {
    usual,
    of: (tools) => (tools.has('web_extract') ? `${usual} To read only, prefer web_search and web_extract.` : usual),
  },
  parameters,
  traits: { quotesOthers: true, longRunning: true },
  display: { emoji: '🌐', preview: ({ url }) => url },
  available: ({ state: { browser } }) => browser?.isThere === true,
  judge({ url }, services) {
    const address = parseAddress(url);
    const refused = address === undefined ? 'not a valid web address' : refusedAddress(address, services.redact);
    if (address === undefined || refused !== undefined) {
      return { shown: url, findings: [], refused: { reason: String(refused), message: `Blocked: ${refused}.` } };
    }
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
    return await browse(context, async (open) => await navigate(open, address), {
      opens: true,
      seconds: Math.max(leastSeconds, context.services.config.browser.command_timeout),
    });
  },
});

/** What people write in the address line. */
function parseAddress(text: string): URL | undefined {
  const plain = text.trim();
  const url = URL.parse(plain);
  if (url !== null && /^[a-z][a-z\d+.-]*:\/\//i.test(plain)) return url;
  return URL.parse(`https://${plain}`) ?? undefined;
}

async function navigate(given: OpenTabs, address: URL | undefined): Promise<object> {
  const { rules, tabs, timeoutMs } = given;
  const refusal = address === undefined ? 'not a valid web address' : rules.refusalOf(address.href);
  if (address === undefined || refusal !== undefined) throw new NotDone(`Blocked: ${refusal}.`);
  rules.open(address);
  rules.takeRefused();
  const open = (await tabs.answers(hungMs)) ? given : { ...given, tab: await tabs.fresh() };
  const { page } = open.tab;
  let status: number | undefined;
  try {
    const loading = async () => {
      const response = await page.goto(address.href, { waitUntil: 'domcontentloaded', timeout: timeoutMs * 0.9 });
      status = response?.status();
    };
    await act(open, loading, settleMs);
  } catch (error) {
    throw await notOpened(open, error);
  }
  const blocked = blockedBy(open);
  if (blocked !== undefined) throw blocked;
  return { ...(status === undefined || status < 400 ? {} : { status }), ...(await showPage(open)) };
}

/** A page that hangs is given up with its tab; a host that the rules refuse is named. */
async function notOpened(open: OpenTabs, error: unknown): Promise<unknown> {
  const { tabs, tab, timeoutMs } = open;
  // What was asked for by a page that did not come can only have been the page.
  const blocked = blockedBy(open, true);
  if (blocked !== undefined) return blocked;
  if (!(error instanceof Error) || error.name !== 'TimeoutError') return error;
  if (tabs.current === tab) await tabs.fresh();
  return new NotDone(`The page did not open within ${Math.round((timeoutMs * 0.9) / 1000)} seconds.`);
}

/** The page itself was refused, or led to one that is. */
function blockedBy({ rules, tabs, tab }: OpenTabs, whatever = false): NotDone | undefined {
  const left = tabs.takeLeft();
  if (left !== undefined) return new NotDone(left);
  const shown = URL.parse((tabs.current ?? tab).page.url());
  const here = shown === null ? '' : `${shown.hostname}:${shown.port || (shown.protocol === 'https:' ? 443 : 80)}`;
  for (const [host, why] of rules.takeRefused()) {
    if (whatever || host === here) return new NotDone(`Blocked: ${host} was not reached: ${why}.`);
    tabs.log.error(`${host} was not reached: ${why}`);
  }
  return undefined;
}
