/** `browser_click` */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { act, browse, pageSources } from './browse.ts';
import type { OpenTabs } from './browser-session.ts';
import { judgeAct } from './judge-browsing.ts';
import { elementOf } from './refs.ts';
import { movedTo } from './moved-to.ts';

const parameters = z.object({ ref: z.string().describe('@e5') });
const clickMs = 8000;

export const browserClickTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_click',
  toolset: 'browser',
  description: 'Click on a thing of the page.',
  parameters,
  traits: { quotesOthers: true },
  display: { emoji: '👆', preview: ({ ref }) => ref },
  available: ({ state: { browser } }) => browser?.isThere === true,
  judge: ({ ref }, services) => judgeAct(`clicks ${ref}`, services),
  sources: (_, services) => pageSources(services),
  parallel: 'never',
  execute: async ({ ref }, context) => await browse(context, async (open) => await click(open, ref)),
});

async function click(open: OpenTabs, ref: string): Promise<object> {
  const element = await elementOf(open.tab.page, ref);
  const moved = movedTo(open);
  await act(open, () => element.click({ timeout: Math.min(clickMs, open.timeoutMs) }));
  return { clicked: ref, ...moved() };
}
