/** How a page is opened: loaded with the first of them. */
import type { ToolOutcome } from '../../agent/tool.ts';
import { act, browse, type Context } from './browse.ts';
import { NotDone, NotOpened } from './not-done.ts';
import type { OpenTabs } from './browser-command.ts';
import { showPage } from './show-page.ts';

const settleMs = 4000;
const leastSeconds = 60;
const hungMs = 2000;

/** Opens a browser when none is open. */
export async function openPage(context: Context, address: URL | undefined): Promise<ToolOutcome> {
  return await browse(context, async (open) => await navigate(open, address), {
    opens: true,
    address,
    seconds: Math.max(leastSeconds, context.services.config.browser.command_timeout),
  });
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
    await act(open, loading, { settleMs });
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
  return new NotOpened(`The page did not open within ${Math.round((timeoutMs * 0.9) / 1000)} seconds.`);
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
