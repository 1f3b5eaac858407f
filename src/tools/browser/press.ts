/** `browser_press`: one key. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { actionsOf } from './actions.ts';
import { judgeAct, judgeInput } from './judge-browsing.ts';
import { pageSources } from './page-sources.ts';

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
  execute: async ({ key }, context) => await (await actionsOf(context)).press(context, key),
});

/** A key that puts a character of the model's choice into the page. */
function writes(key: string): boolean {
  return /^(?:Shift\+)*.$/isu.test(key);
}
