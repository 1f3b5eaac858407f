/** `browser_back` */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { actionsOf } from './actions.ts';
import { judgeAct } from './judge-browsing.ts';
import { pageSources } from './page-sources.ts';

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
  execute: async (_, context) => await (await actionsOf(context)).back(context),
});
