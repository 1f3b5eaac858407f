/** `browser_click` */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { actionsOf } from './actions.ts';
import { judgeAct } from './judge-browsing.ts';
import { pageSources } from './page-sources.ts';

const parameters = z.object({ ref: z.string().describe('@e5') });

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
  execute: async ({ ref }, context) => await (await actionsOf(context)).click(context, ref),
});
