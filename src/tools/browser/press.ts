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

/** Keys that move, send and edit. A page hears all others as well, whatever is held with them: they can spell something. */
const quietKeys =
  /^(?:(?:Shift|Control|Alt|Meta|ControlOrMeta)\+)*(?:Enter|NumpadEnter|Tab|Escape|Space|Backspace|Delete|Insert|Home|End|PageUp|PageDown|Arrow(?:Up|Down|Left|Right)|F\d{1,2}|Shift|Control|Alt|Meta|ControlOrMeta)$/i;
const editing = /^(?:Control|Meta|ControlOrMeta)\+[acvxyz]$/i;

/** A key that puts something of the model's choice into the page. */
function writes(key: string): boolean {
  return !quietKeys.test(key) && !editing.test(key);
}
