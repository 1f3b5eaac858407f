/** What is told of a page when it has been opened. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import type { OpenTabs } from './browser-session.ts';
import { takeSnapshot } from './snapshot.ts';

const maxChars = 15_000;
const roomForNote = 300;
const maxKeptChars = 2_000_000;
const snapshotMs = 10_000;

/** Pages that want to know whether a person looks at them. */
const robotTitle =
  /just a moment|attention required|access denied|are you (?:a )?(?:human|robot)|verify you are human|captcha|bot detection|ddos-guard/i;

/** Address, title and the snapshot. */
export async function showPage(open: OpenTabs): Promise<object> {
  const { page } = open.tabs.current ?? open.tab;
  const title = open.dialogs.pending.length > 0 ? '' : await page.title();
  const robots = robotTitle.test(title)
    ? { bot_detection_warning: `The title reads as if the site kept programs out: ${title}` }
    : {};
  return { url: page.url(), title, ...robots, ...(await showSnapshot(open, false)) };
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
  return { snapshot: text.length <= maxChars ? text : await cut(text, open), element_count: elements };
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

/** The whole of it is kept in a file, and the beginning says where. */
async function cut(text: string, { homePath, tabs, tab, keepFile }: OpenTabs): Promise<string> {
  const { page } = tabs.current ?? tab;
  const folder = join(homePath, 'cache', 'web');
  const hash = createHash('sha256').update(page.url()).digest('hex').slice(0, 10);
  const path = join(folder, `browser-snapshot-${hash}.txt`);
  await keepFile(page.url(), async () => {
    await mkdir(folder, { recursive: true });
    writeFileAtomic(path, text.slice(0, maxKeptChars));
  });
  const kept = text.slice(0, maxChars - roomForNote);
  const shown = kept.slice(0, Math.max(kept.lastIndexOf('\n'), 0));
  return `${shown}\n[The snapshot goes on: ${text.length - shown.length} more characters. All of it: ${path}]`;
}
