/** `browser_snapshot`: the page as text. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { actionsOf } from './actions.ts';
import { pageSources } from './page-sources.ts';

const parameters = z.object({ full: z.boolean().default(false).describe('Everything, with link addresses') });

export const browserSnapshotTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_snapshot',
  toolset: 'browser',
  description: 'The page as text, with @e references.',
  parameters,
  traits: { quotesOthers: true, idempotent: true },
  display: { emoji: '📸', preview: ({ full }) => (full ? 'everything' : '') },
  available: ({ state: { browser } }) => browser?.isThere === true,
  judge: () => harmless,
  sources: (_, services) => pageSources(services),
  parallel: 'never',
  execute: async ({ full }, context) => await (await actionsOf(context)).snapshot(context, full),
});
