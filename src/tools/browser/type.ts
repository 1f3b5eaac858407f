/** `browser_type`: fills in a field. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import type { ToolServices } from '../services.ts';
import { actionsOf } from './actions.ts';
import { judgeInput } from './judge-browsing.ts';
import { pageSources } from './page-sources.ts';

const parameters = z.object({ ref: z.string(), text: z.string() });

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
  execute: async ({ ref, text }, context) => await (await actionsOf(context)).type(context, ref, text),
});
