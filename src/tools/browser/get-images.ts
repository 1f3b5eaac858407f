/** `browser_get_images`: the pictures of the page. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { harmless } from '../../safety/finding.ts';
import type { ToolServices } from '../services.ts';
import { browse, pageSources } from './browse.ts';
import type { OpenTabs } from './browser-session.ts';

const parameters = z.object({});
const maxImages = 100;
const maxChars = 500;

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
  execute: async (_, context) => await browse(context, images),
});

const found = z.array(z.object({ src: z.string(), alt: z.string(), width: z.number(), height: z.number() }));

async function images({ tab }: OpenTabs): Promise<object> {
  const all = found.parse(await tab.page.evaluate(script));
  return { images: all, count: all.length };
}

/** What is written into the page itself has no address. */
const script = `[...document.images]
  .map((image) => ({ src: image.currentSrc || image.src, alt: image.alt, width: image.naturalWidth, height: image.naturalHeight }))
  .filter(({ src }) => src !== '' && !src.startsWith('data:'))
  .slice(0, ${maxImages})
  .map((image) => ({ ...image, src: image.src.slice(0, ${maxChars}), alt: image.alt.slice(0, ${maxChars}) }))`;
