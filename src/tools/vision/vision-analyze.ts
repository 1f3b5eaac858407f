/** `vision_analyze`: looks at a picture. */
import * as z from 'zod';
import { defineTool } from '../../agent/define-tool.ts';
import { failure, type ToolOutcome } from '../../agent/tool.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { ModelError } from '../../llm/model-error.ts';
import { PathDenied } from '../policy/path-denied.ts';
import type { ToolServices } from '../services.ts';
import { previewLine } from '../file/text-window.ts';
import { judgePictures } from './judge-address.ts';
import { namedSources } from './named-sources.ts';

const parameters = z.object({
  image_url: z.string().min(1).describe('http(s) URL, local path or data: URL'),
  question: z.string().min(1).describe('What you want to know'),
});

export const visionAnalyzeTool = defineTool<ToolServices, typeof parameters>({
  name: 'vision_analyze',
  toolset: 'vision',
  description:
    'Look at an image, whenever one is named (path, URL, screenshot). You see it yourself, or get the description of another model.',
  parameters,
  traits: { idempotent: true, quotesOthers: true },
  display: { emoji: '👁️', preview: ({ image_url: named }) => previewLine(named.replace(/^data:.*/is, 'data: …')) },
  available: ({ state: { vision } }) => vision !== undefined && (vision.isNative || vision.canDescribe),
  judge: ({ image_url: named }, services) => judgePictures([named], services),
  sources: ({ image_url: named }, services) => namedSources(named, services),
  parallel: 'safe',
  async execute({ image_url: named, question }, { services, signal }): Promise<ToolOutcome> {
    try {
      const { loadMedia } = await import('./load-media.ts');
      const { lookAt } = await import('./look-at.ts');
      const { bytes, name, sources } = await loadMedia(named, services, signal);
      const look = await lookAt({ bytes, name, question }, services, signal);
      if (look.kind === 'shown') {
        const text = JSON.stringify({ success: true });
        return { content: [{ type: 'text', text }, look.part], isError: false, sources };
      }
      const content = JSON.stringify({ success: true, analysis: services.redact(look.text) }, null, 2);
      return { content, isError: false, sources };
    } catch (error) {
      signal.throwIfAborted();
      const known = error instanceof UserError || error instanceof ModelError || error instanceof PathDenied;
      if (!known) throw error;
      return failure({ success: false, error: errorMessage(error), analysis: null });
    }
  },
});
