/** `browser_vision`: looks at the page as a picture. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { actionsOf } from './actions.ts';
import { pageSources } from './page-sources.ts';

const parameters = z.object({
  question: z.string(),
  annotate: z.boolean().default(false).describe('Number what can be used'),
});

export const browserVisionTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_vision',
  toolset: 'browser',
  description: 'Look at a screenshot of the page.',
  parameters,
  traits: { quotesOthers: true, idempotent: true },
  display: { emoji: '👁️', preview: ({ question }) => question.slice(0, 80) },
  available: ({ state: { browser, vision } }) =>
    browser?.isThere === true && vision !== undefined && (vision.isNative || vision.canDescribe),
  judge: () => harmless,
  sources: (_, services) => pageSources(services),
  parallel: 'never',
  execute: async (args, context) => await (await actionsOf(context)).look(args, context),
});
