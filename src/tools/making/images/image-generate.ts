/** `image_generate`: has a picture made, or changed, by the service that the owner chose. */
import * as z from 'zod';
import { defineTool } from '../../../agent/define-tool.ts';
import { answer, failure, type ToolContext, type ToolOutcome } from '../../../agent/tool.ts';
import { UserError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { PathDenied } from '../../policy/path-denied.ts';
import type { ToolServices } from '../../services.ts';
import { previewLine } from '../../file/text-window.ts';
import { webAddress } from '../../vision/judge-address.ts';
import { ServiceError } from '../ask-service.ts';
import { type Chosen, chosenService } from '../chosen-service.ts';
import { judgeMaking } from '../judge-making.ts';
import { imageProviders } from './catalogue.ts';
import { type ImageProvider, ratios, type SourcePicture } from './image-provider.ts';

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
    if (chosen === undefined)
      return refused(args, undefined, 'auth_required', 'No service that makes pictures is set up.');
    try {
      return answer(await make(args, chosen, context));
    } catch (error) {
      context.signal.throwIfAborted();
      return failed(args, chosen, error);
    }
  },
});

function chosenFor({ config, state }: ToolServices): Chosen<ImageProvider> | undefined {
  return chosenService(imageProviders, config.image_gen, state.media, ({ imageModel }) => imageModel);
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
  const sources = await loadSources(namedIn(args), provider.maxSources(model), { model, services, signal });
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

interface Loading {
  readonly model: string;
  readonly services: ToolServices;
  readonly signal: AbortSignal;
}

/** They are sent from here, bare of what they tell beside their pixels. */
async function loadSources(
  named: readonly string[],
  most: number,
  { model, services, signal }: Loading,
): Promise<readonly SourcePicture[]> {
  if (named.length === 0) return [];
  if (most === 0)
    throw new Unsupported(
      `${model} makes new pictures only and takes none. Leave image_url out, or choose another model as image_gen.model.`,
    );
  const { loadMedia } = await import('../../vision/load-media.ts');
  const { fitPicture } = await import('../../../pictures/picture.ts');
  const sources: SourcePicture[] = [];
  for (const one of named.slice(0, most)) {
    const { bytes, name } = await loadMedia(one, services, signal);
    const address = webAddress(one)?.href;
    sources.push({ ...(await fitPicture(bytes, name, signal)), ...(address === undefined ? {} : { address }) });
  }
  return sources;
}

class Unsupported extends UserError {
  override readonly name = 'Unsupported';
}

function failed(args: Args, { provider, service }: Chosen<ImageProvider>, error: unknown): ToolOutcome {
  if (error instanceof Unsupported) return refused(args, provider.id, 'modality_unsupported', error.message);
  if (error instanceof ServiceError) {
    // What a service says of a failure is its own words.
    return {
      ...refused(args, provider.id, 'api_error', error.message),
      sources: [{ from: 'server', name: service.name }],
    };
  }
  if (error instanceof UserError || error instanceof PathDenied) {
    return refused(args, provider.id, 'io_error', error.message);
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return refused(args, provider.id, 'timeout', `${service.name} took too long.`);
  }
  throw error;
}

function refused(
  { prompt, aspect_ratio }: Args,
  provider: string | undefined,
  type: string,
  error: string,
): ToolOutcome {
  return failure({
    success: false,
    image: null,
    error,
    error_type: type,
    prompt,
    aspect_ratio,
    provider: provider ?? null,
  });
}
