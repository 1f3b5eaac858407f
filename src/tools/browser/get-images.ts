/** `browser_get_images`: the pictures of the page. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { actionsOf } from './actions.ts';
import { pageSources } from './page-sources.ts';

const parameters = z.object({});

export const browserGetImagesTool = defineTool<ToolServices, typeof parameters>({
  name: 'browser_get_images',
  toolset: 'browser',
  description: 'The pictures of the page: address, text, size.',
  parameters,
  traits: { quotesOthers: true, idempotent: true },
  display: { emoji: '🖼️', preview: () => '' },
  available: ({ state: { browser } }) => browser?.isThere === true,
  judge: () => harmless,
  sources: (_, services) => pageSources(services),
  parallel: 'never',
  execute: async (_, context) => await (await actionsOf(context)).listImages(context),
});
