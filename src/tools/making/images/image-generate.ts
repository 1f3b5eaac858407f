/** `image_generate`: has a picture made, or changed, by the service that the owner chose. */
import * as z from 'zod';
import { defineTool } from '../../../agent/define-tool.ts';
import { answer, failure, type ToolContext } from '../../../agent/tool.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { ToolServices } from '../../services.ts';
import { previewLine } from '../../file/text-window.ts';
import { ServiceError } from '../ask-service.ts';
import { addedService, type Chosen, chosenService } from '../chosen-service.ts';
import { judgeMaking } from '../judge-making.ts';
import { loadSources, Unsupported } from '../load-sources.ts';
import { makingFailure } from '../making-failure.ts';
import type { SourcePicture } from '../source-picture.ts';
import { imageProviders } from './catalogue.ts';
import { type ImageProvider, ratios } from './image-provider.ts';

const parameters = z.object({
  prompt: z.string().min(1).describe('The image, in detail; or the edit'),
  aspect_ratio: z.enum(ratios).default('landscape'),
  image_url: z.string().optional().describe('Image to edit: URL or path'),
  reference_image_urls: z.array(z.string()).optional().describe('More images to go by'),
});

type Args = z.infer<typeof parameters>;

const usual =
  'Generate an image from a prompt, or edit one (image_url) where the model can. Returns a path in `image`; show it in your answer as files are sent here.';

export const imageGenerateTool = defineTool<ToolServices, typeof parameters>({
  name: 'image_generate',
  toolset: 'image_gen',
  description: {
    usual,
    of(_tools, services) {
      const chosen = chosenFor(services);
      const most = chosen === undefined ? 0 : chosen.provider.maxSources(chosen.model ?? '');
      return most > 0 ? `${usual} Takes up to ${most} images.` : `${usual} The model set up makes new images only.`;
    },
  },
  parameters,
  traits: { longRunning: true },
  display: { emoji: '🎨', preview: ({ prompt }) => previewLine(prompt) },
  available: (services) => chosenFor(services) !== undefined,
  judge(args, services) {
    const service = chosenFor(services)?.service.name ?? 'a service';
    return judgeMaking({ what: 'a picture', service, prompt: args.prompt, named: namedIn(args) }, services);
  },
  sources: () => [{ from: 'tool', name: 'image_generate' }],
  parallel: 'safe',
  async execute(args, context) {
    const chosen = chosenFor(context.services);
    if (chosen === undefined) return failure({ success: false, error: 'No service that makes pictures is set up.' });
    try {
      return answer(await make(args, chosen, context));
    } catch (error) {
      context.signal.throwIfAborted();
      const { prompt, aspect_ratio } = args;
      const asked = { image: null, prompt, aspect_ratio, provider: chosen.provider.id };
      return makingFailure(error, asked, chosen.service.name);
    }
  },
});

function chosenFor({ config, state }: ToolServices): Chosen<ImageProvider> | undefined {
  const { media } = state;
  const added = addedService(media?.added?.images, config.image_gen, media);
  if (added !== undefined) return added;
  return chosenService(imageProviders, config.image_gen, media, {
    thing: 'image',
    ofEnvironment: ({ imageModel }) => imageModel,
    environmentLast: ['fal'],
  });
}

function namedIn({ image_url: first, reference_image_urls: more = [] }: Args): readonly string[] {
  return [...(first === undefined ? [] : [first]), ...more]
    .map((named) => named.trim())
    .filter((named) => named !== '');
}

async function make(
  args: Args,
  { provider, service, model: known }: Chosen<ImageProvider>,
  { services, signal }: ToolContext<ToolServices>,
): Promise<JsonObject> {
  const { prompt, aspect_ratio: ratio } = args;
  const model = known ?? (await provider.findModel?.(service, signal));
  if (model === undefined)
    throw new ServiceError(`${service.name} lists no model that makes pictures. Name one as image_gen.model.`);
  const sources = await sourcesFor(namedIn(args), provider.maxSources(model), { model, services, signal });
  const made = await provider.make({ prompt: prompt.trim(), ratio, model, sources }, service, signal);
  const { keepImage } = await import('./keep-image.ts');
  const image = await keepImage(made, service, services, signal);
  return {
    success: true,
    image,
    model,
    prompt,
    aspect_ratio: ratio,
    modality: sources.length > 0 ? 'image' : 'text',
    provider: provider.id,
  };
}

/** As many as the model takes. */
async function sourcesFor(
  named: readonly string[],
  most: number,
  {
    model,
    services,
    signal,
  }: { readonly model: string; readonly services: ToolServices; readonly signal: AbortSignal },
): Promise<readonly SourcePicture[]> {
  if (named.length > 0 && most === 0) {
    throw new Unsupported(
      `${model} makes new pictures only and takes none. Leave image_url out, or choose another model as image_gen.model.`,
    );
  }
  return await loadSources(named.slice(0, most), services, signal);
}
