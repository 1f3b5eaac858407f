/** `browser_scroll` */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { actionsOf } from './actions.ts';
import { pageSources } from './page-sources.ts';

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
  execute: async ({ direction }, context) => await (await actionsOf(context)).scroll(context, direction),
});
