/** `browser_scroll` */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { act, browse, pageSources } from './browse.ts';
import type { OpenTabs } from './browser-session.ts';

const parameters = z.object({ direction: z.enum(['up', 'down']) });

export const browserScrollTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_scroll',
  toolset: 'browser',
  description: 'Scroll the page, which may load more of it.',
  parameters,
  traits: { quotesOthers: true },
  display: { emoji: '📜', preview: ({ direction }) => direction },
  available: ({ state: { browser } }) => browser?.isThere === true,
  judge: () => harmless,
  sources: (_, services) => pageSources(services),
  parallel: 'never',
  execute: async ({ direction }, context) => await browse(context, async (open) => await scroll(open, direction)),
});

async function scroll(open: OpenTabs, direction: 'up' | 'down'): Promise<object> {
  const { page } = open.tab;
  let at: string | undefined;
  await act(open, async () => {
    at = z.string().parse(await page.evaluate(script(direction === 'down' ? 1 : -1)));
  });
  return { scrolled: direction, ...(at === undefined ? {} : { down_to: at }) };
}

/** Many applications scroll a box of their own. */
function script(way: 1 | -1): string {
  return `(() => {
    const boxes = [...document.querySelectorAll('*')].filter((box) => box.clientHeight > 200 &&
      box.scrollHeight > box.clientHeight + 50 && /auto|scroll/.test(getComputedStyle(box).overflowY));
    const whole = document.scrollingElement ?? document.documentElement;
    const area = (box) => box.clientHeight * box.clientWidth;
    const large = boxes.sort((a, b) => area(b) - area(a))[0];
    const box = whole.scrollHeight > whole.clientHeight + 1 || large === undefined ? whole : large;
    box.scrollBy({ top: ${way} * box.clientHeight * 0.9, behavior: 'instant' });
    return Math.min(100, Math.round(((box.scrollTop + box.clientHeight) / box.scrollHeight) * 100)) + ' % of the page';
  })()`;
}
