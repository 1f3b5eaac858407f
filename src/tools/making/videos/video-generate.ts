/** `video_generate`: has a video made, from words or from a picture, by the service that the owner chose. */
import * as z from 'zod';
import { defineTool } from '../../../agent/define-tool.ts';
import { answer, failure, type ToolContext } from '../../../agent/tool.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { previewLine } from '../../file/text-window.ts';
import type { ToolServices } from '../../services.ts';
import { ServiceError } from '../ask-service.ts';
import { addedService, type Chosen, chosenService } from '../chosen-service.ts';
import { judgeMaking } from '../judge-making.ts';
import { loadSources, Unsupported } from '../load-sources.ts';
import { makingFailure } from '../making-failure.ts';
import { videoProviders } from './catalogue.ts';
import { resolutions, type VideoProvider, videoRatios } from './video-provider.ts';

const parameters = z.object({
  prompt: z.string(),
  image_url: z.string().optional().describe('To animate: URL or path'),
  reference_image_urls: z.array(z.string()).optional(),
  duration: z.int().optional().describe('Seconds'),
  aspect_ratio: z.enum(videoRatios).default('16:9'),
  resolution: z.enum(resolutions).default('720p'),
  negative_prompt: z.string().optional(),
  audio: z.boolean().optional(),
  seed: z.int().optional(),
  model: z.string().optional(),
});

type Args = z.infer<typeof parameters>;

const usual = 'Generate a video from a prompt or an image.';

export const videoGenerateTool = defineTool<ToolServices, typeof parameters>({
  name: 'video_generate',
  toolset: 'video_gen',
  description: {
    usual,
    of(_tools, services) {
      const chosen = chosenFor(services);
      return chosen === undefined ? usual : `${usual} Length: ${chosen.provider.limits(chosen.model ?? '')}.`;
    },
  },
  parameters,
  traits: { longRunning: true },
  display: { emoji: '🎬', preview: ({ prompt }) => previewLine(prompt) },
  available: (services) => chosenFor(services) !== undefined,
  judge(args, services) {
    const service = chosenFor(services)?.service.name ?? 'a service';
    const { image_url: first, reference_image_urls: more } = args;
    const named = [...filled(first), ...filled(...(more ?? []))];
    return judgeMaking({ what: 'a video', service, prompt: args.prompt, named }, services);
  },
  sources: () => [{ from: 'tool', name: 'video_generate' }],
  parallel: 'safe',
  async execute(args, context) {
    const { prompt, aspect_ratio } = args;
    const chosen = chosenFor(context.services);
    if (chosen === undefined) return failure({ success: false, error: 'No service that makes videos is set up.' });
    try {
      return answer(await make(args, chosen, context));
    } catch (error) {
      context.signal.throwIfAborted();
      const asked = { video: null, prompt, aspect_ratio, provider: chosen.provider.id };
      return makingFailure(error, asked, chosen.service.name);
    }
  },
});

/** The service that makes videos here, with its model. */
export function chosenFor({ config, state }: ToolServices): Chosen<VideoProvider> | undefined {
  const { media } = state;
  const added = addedService(media?.added?.videos, config.video_gen, media);
  if (added !== undefined) return added;
  return chosenService(videoProviders, config.video_gen, media, {
    thing: 'video',
    ofEnvironment: ({ videoModel }) => videoModel,
  });
}

function filled(...named: readonly (string | undefined)[]): readonly string[] {
  return named.flatMap((one) => (one === undefined || one.trim() === '' ? [] : [one.trim()]));
}

async function make(
  args: Args,
  { provider, service, model: usualModel }: Chosen<VideoProvider>,
  { services, signal }: ToolContext<ToolServices>,
): Promise<JsonObject> {
  const [asked] = filled(args.model);
  if (asked !== undefined && provider.takesOthers !== true && !provider.models.includes(asked)) {
    throw new Unsupported(`${service.name} has no model ${asked}. It has: ${provider.models.join(', ')}.`);
  }
  const wanted = filled(...(args.reference_image_urls ?? []));
  if (wanted.length > provider.maxReferences) {
    throw new Unsupported(`${service.name} takes ${provider.maxReferences || 'no'} reference_image_urls.`);
  }
  const model = asked ?? usualModel ?? (await provider.findModel?.(service, signal));
  if (model === undefined)
    throw new ServiceError(`${service.name} lists no model that makes videos. Name one as video_gen.model.`);
  const [image] = await loadSources(filled(args.image_url), services, signal);
  const references = await loadSources(wanted, services, signal);
  const made = await provider.make(
    {
      prompt: args.prompt.trim(),
      model,
      isModelAsked: asked !== undefined,
      ...(image === undefined ? {} : { image }),
      references,
      duration: args.duration,
      ratio: args.aspect_ratio,
      resolution: args.resolution,
      negativePrompt: args.negative_prompt,
      audio: args.audio,
      seed: args.seed,
    },
    service,
    signal,
  );
  const { keepVideo } = await import('./keep-video.ts');
  return {
    success: true,
    video: await keepVideo(made, services, signal),
    ...(made.publicUrl === undefined ? {} : { public_url: made.publicUrl }),
    model: made.model,
    prompt: args.prompt,
    modality: image !== undefined || references.length > 0 ? 'image' : 'text',
    aspect_ratio: args.aspect_ratio,
    duration: made.duration,
    provider: provider.id,
  };
}
