/** `browser_press`: one key. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { act, browse, pageSources } from './browse.ts';
import type { OpenTabs } from './browser-session.ts';
import { judgeAct, judgeInput } from './judge-browsing.ts';
import { movedTo } from './moved-to.ts';

const parameters = z.object({ key: z.string().describe('Enter, Tab, Escape, ArrowDown, Control+a, …') });

export const browserPressTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_press',
  toolset: 'browser',
  description: 'Press a key.',
  parameters,
  traits: { quotesOthers: true },
  display: { emoji: '⌨️', preview: ({ key }) => key },
  available: ({ state: { browser } }) => browser?.isThere === true,
  judge({ key }, services) {
    const what = `presses ${key}`;
    return writes(key) ? judgeInput(what, key, services) : judgeAct(what, services);
  },
  sources: (_, services) => pageSources(services),
  parallel: 'never',
  execute: async ({ key }, context) => await browse(context, async (open) => await press(open, key)),
});

/** A key that puts a character of the model's choice into the page. */
function writes(key: string): boolean {
  return /^(?:Shift\+)*.$/isu.test(key);
}

async function press(open: OpenTabs, key: string): Promise<object> {
  const moved = movedTo(open);
  await act(open, () => open.tab.page.keyboard.press(key));
  return { pressed: key, ...moved() };
}
