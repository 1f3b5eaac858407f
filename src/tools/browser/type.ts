/** `browser_type`: fills in a field. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { act, browse, pageSources } from './browse.ts';
import type { OpenTabs } from './browser-session.ts';
import { judgeInput } from './judge-browsing.ts';
import { elementOf } from './refs.ts';

const parameters = z.object({ ref: z.string(), text: z.string() });
const typeMs = 8000;

export const browserTypeTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_type',
  toolset: 'browser',
  description: 'Fill in a field: what stood in it goes. Then browser_press Enter, or click.',
  parameters,
  traits: { quotesOthers: true },
  display: { emoji: '⌨️', preview: ({ ref, text }) => `${ref}: ${text.slice(0, 60)}` },
  available: ({ state: { browser } }) => browser?.isThere === true,
  judge: ({ ref, text }, services) => judgeInput(`types into ${ref}: ${text}`, text, services),
  sources: (_, services) => pageSources(services),
  parallel: 'never',
  execute: async ({ ref, text }, context) => await browse(context, async (open) => await type(open, ref, text)),
});

async function type(open: OpenTabs, ref: string, text: string): Promise<object> {
  const element = await elementOf(open.tab.page, ref);
  const timeout = Math.min(typeMs, open.timeoutMs);
  const kind = await element.evaluate((node) => ({ tag: node.tagName, type: node.getAttribute('type') ?? '' }));
  await act(open, async () => {
    if (kind.tag === 'SELECT') await element.selectOption(text, { timeout });
    else await element.fill(text, { timeout });
  });
  return { typed: kind.type.toLowerCase() === 'password' ? '••••' : text, element: ref };
}
