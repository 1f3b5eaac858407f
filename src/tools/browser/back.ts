/** `browser_back` */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { act, browse, NotDone, pageSources } from './browse.ts';
import type { OpenTabs } from './browser-session.ts';
import { judgeAct } from './judge-browsing.ts';

const parameters = z.object({});

export const browserBackTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_back',
  toolset: 'browser',
  description: 'Back to the page before; in a new tab, to the tab that opened it.',
  parameters,
  traits: { quotesOthers: true },
  display: { emoji: '◀️', preview: () => '' },
  available: ({ state: { browser } }) => browser?.isThere === true,
  judge: (_, services) => judgeAct('goes back', services),
  sources: (_, services) => pageSources(services),
  parallel: 'never',
  execute: async (_, context) => await browse(context, back),
});

async function back(open: OpenTabs): Promise<object> {
  const { page } = open.tab;
  const before = page.url();
  let answered: unknown;
  await act(open, async () => {
    answered = await page.goBack({ waitUntil: 'domcontentloaded', timeout: open.timeoutMs });
  });
  const moved = answered !== null || page.url() !== before;
  if (!moved && !(await open.tabs.closeCurrent())) throw new NotDone('There is no page before this one.');
  return { url: (open.tabs.current ?? open.tab).page.url() };
}
