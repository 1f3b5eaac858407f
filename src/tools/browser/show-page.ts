/** What is told of a page when it has been opened. */
import type { OpenTabs } from './browser-command.ts';
import { fitSnapshot } from './fit-snapshot.ts';
import { robotWarning } from './robot-warning.ts';
import { takeSnapshot } from './snapshot.ts';

const snapshotMs = 10_000;

/** Address, title and the snapshot. */
export async function showPage(open: OpenTabs): Promise<object> {
  const { page } = open.tabs.current ?? open.tab;
  const title = open.dialogs.pending.length > 0 ? '' : await page.title();
  return { url: page.url(), title, ...robotWarning(title), ...(await showSnapshot(open, false)) };
}

/** A page that waits for the answer to a dialog cannot be read. */
export async function showSnapshot(open: OpenTabs, full: boolean): Promise<object> {
  const { tabs, tab, dialogs, signal } = open;
  if (dialogs.pending.length > 0)
    return { snapshot: '(the page waits for the answer to its dialog)', element_count: 0 };
  const { page } = tabs.current ?? tab;
  const [{ text, elements }, links] = await Promise.all([
    takeSnapshot(page, { full, timeoutMs: snapshotMs, signal }),
    linksOf(open),
  ]);
  tabs.remember(links);
  return { snapshot: await fitSnapshot(text, page.url(), open), element_count: elements };
}

const maxLinks = 2000;

/** Addresses that the page offers. */
async function linksOf({ tabs, tab }: OpenTabs): Promise<readonly string[]> {
  const { page } = tabs.current ?? tab;
  const all = page
    .locator('a[href]')
    .evaluateAll(
      (links, max) => links.slice(0, max).flatMap((link) => ('href' in link ? [String(link.href)] : [])),
      maxLinks,
    );
  // The page went on to another one meanwhile.
  return await all.catch(() => []);
}
