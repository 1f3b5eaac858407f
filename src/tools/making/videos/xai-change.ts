/** `xai_video_edit`, `xai_video_extend`: change a video that xAI made and still has. */
import * as z from 'zod';
import { defineTool } from '../../../agent/define-tool.ts';
import { answer, failure, type ToolContext, type ToolOutcome } from '../../../agent/tool.ts';
import { UserError } from '../../../lib/errors.ts';
import { previewLine } from '../../file/text-window.ts';
import type { ToolServices } from '../../services.ts';
import { judgeMaking } from '../judge-making.ts';
import { makingFailure } from '../making-failure.ts';
import { chosenFor } from './video-generate.ts';
import { xai, xaiVideo } from './xai.ts';

const usualExtension = 6;
const mostExtension = 10;

const common = {
  prompt: z.string().min(1),
  video_url: z.string().min(1).describe('public_url of an earlier result'),
  model: z.string().optional(),
};
const editing = z.object(common);
const extending = z.object({ ...common, duration: z.int().optional().describe('Seconds, 1-10') });

type Change = z.infer<typeof editing> & { readonly duration?: number | undefined };

export const xaiVideoEditTool = defineTool<ToolServices, typeof editing>({
  name: 'xai_video_edit',
  toolset: 'video_gen',
  description: 'Change a video that video_generate made.',
  parameters: editing,
  traits: { longRunning: true },
  display: { emoji: '🎬', preview: ({ prompt }) => previewLine(prompt) },
  available: isXai,
  judge: (args, services) => judged(args, services),
  sources: () => [{ from: 'tool', name: 'xai_video_edit' }],
  parallel: 'safe',
  execute: async (args, context) => await change('edit', args, context),
});

export const xaiVideoExtendTool = defineTool<ToolServices, typeof extending>({
  name: 'xai_video_extend',
  toolset: 'video_gen',
  description: 'Make a video that video_generate made go on.',
  parameters: extending,
  traits: { longRunning: true },
  display: { emoji: '🎬', preview: ({ prompt }) => previewLine(prompt) },
  available: isXai,
  judge: (args, services) => judged(args, services),
  sources: () => [{ from: 'tool', name: 'xai_video_extend' }],
  parallel: 'safe',
  execute: async (args, context) => await change('extend', args, context),
});

function isXai(services: ToolServices): boolean {
  return chosenFor(services)?.provider === xai;
}

function judged({ prompt, video_url }: Change, services: ToolServices) {
  return judgeMaking({ what: 'a video', service: xai.name, prompt, named: [video_url] }, services);
}

async function change(
  operation: 'edit' | 'extend',
  { prompt, video_url, model: asked, duration }: Change,
  { services, signal }: ToolContext<ToolServices>,
): Promise<ToolOutcome> {
  const chosen = chosenFor(services);
  if (chosen?.provider !== xai) return failure({ success: false, error: 'xAI does not make the videos here.' });
  const { service } = chosen;
  const [plain = ''] = xai.models;
  const model = asked?.trim() || plain;
  try {
    const url = video_url.trim();
    if (URL.parse(url)?.protocol !== 'https:') {
      throw new UserError('video_url must be an https address: the public_url of an earlier result.');
    }
    if (!xai.models.includes(model)) {
      throw new UserError(`${service.name} has no model ${model}. It has: ${xai.models.join(', ')}.`);
    }
    const seconds = Math.min(mostExtension, Math.max(1, duration ?? usualExtension));
    const body = { model, prompt: prompt.trim(), video: { url } };
    const made =
      operation === 'edit'
        ? await xaiVideo(service, 'edits', body, signal)
        : await xaiVideo(service, 'extensions', { ...body, duration: seconds }, signal);
    const { keepVideo } = await import('./keep-video.ts');
    return answer({
      success: true,
      video: await keepVideo(made, services, signal),
      public_url: made.url,
      model,
      prompt,
      modality: operation,
      // 0: the service did not say.
      duration: made.duration ?? (operation === 'edit' ? 0 : seconds),
      provider: xai.id,
    });
  } catch (error) {
    signal.throwIfAborted();
    return makingFailure(error, { video: null, prompt, provider: xai.id }, service.name);
  }
}
