/** The models of Fal, with what each takes. */
import type { JsonObject } from '../../../lib/json.ts';
import { plainRatios } from './openai-answer.ts';
import type { Ratio } from './image-provider.ts';

export interface FalModel {
  /** How the shape is told. */
  readonly shape: { readonly field: 'image_size' | 'aspect_ratio'; readonly values: Readonly<Record<Ratio, string>> };
  /** Sent with every request. */
  readonly settings: JsonObject;
  /** Absent: it only makes new pictures. */
  readonly editing?: {
    readonly endpoint: string;
    readonly maxSources: number;
    readonly takesShape?: true;
  };
  /** What it made is made larger by another model. */
  readonly upscaled?: true;
}

const presets = {
  field: 'image_size',
  values: { landscape: 'landscape_16_9', square: 'square_hd', portrait: 'portrait_16_9' },
} as const;
const asRatio = { field: 'aspect_ratio', values: plainRatios } as const;
const plain = { output_format: 'png', enable_safety_checker: false } as const;
const one = { num_images: 1, output_format: 'png' } as const;
const krea: FalModel = { shape: asRatio, settings: { creativity: 'medium' } };

/** Default first. */
export const falModels: ReadonlyMap<string, FalModel> = new Map<string, FalModel>([
  [
    'fal-ai/flux-2/klein/9b',
    {
      shape: presets,
      settings: { num_inference_steps: 4, ...plain },
      editing: { endpoint: 'fal-ai/flux-2/klein/9b/edit', maxSources: 9 },
    },
  ],
  [
    'fal-ai/flux-2-pro',
    {
      shape: presets,
      settings: { num_inference_steps: 50, guidance_scale: 4.5, num_images: 1, ...plain, safety_tolerance: '5' },
      editing: { endpoint: 'fal-ai/flux-2-pro/edit', maxSources: 9 },
      upscaled: true,
    },
  ],
  [
    'fal-ai/z-image/turbo',
    { shape: presets, settings: { num_inference_steps: 8, num_images: 1, ...plain, enable_prompt_expansion: false } },
  ],
  [
    'fal-ai/nano-banana-pro',
    {
      shape: asRatio,
      settings: { ...one, safety_tolerance: '5', resolution: '1K' },
      editing: { endpoint: 'fal-ai/nano-banana-pro/edit', maxSources: 2, takesShape: true },
    },
  ],
  [
    'fal-ai/gpt-image-1.5',
    {
      shape: {
        field: 'image_size',
        values: { landscape: '1536x1024', square: '1024x1024', portrait: '1024x1536' },
      },
      settings: { quality: 'medium', ...one },
      editing: { endpoint: 'fal-ai/gpt-image-1.5/edit', maxSources: 16, takesShape: true },
    },
  ],
  [
    'fal-ai/gpt-image-2',
    {
      // The wider presets have fewer pixels than it makes.
      shape: {
        field: 'image_size',
        values: { landscape: 'landscape_4_3', square: 'square_hd', portrait: 'portrait_4_3' },
      },
      settings: { quality: 'medium', ...one },
      editing: { endpoint: 'openai/gpt-image-2/edit', maxSources: 16 },
    },
  ],
  [
    'fal-ai/ideogram/v3',
    {
      shape: presets,
      settings: { rendering_speed: 'BALANCED', expand_prompt: true, style: 'AUTO' },
      editing: { endpoint: 'fal-ai/ideogram/v3/edit', maxSources: 1 },
    },
  ],
  ['fal-ai/recraft/v4/pro/text-to-image', { shape: presets, settings: { enable_safety_checker: false } }],
  [
    'fal-ai/qwen-image',
    {
      shape: presets,
      settings: { num_inference_steps: 30, guidance_scale: 2.5, ...one, acceleration: 'regular' },
      editing: { endpoint: 'fal-ai/qwen-image-2/pro/edit', maxSources: 3 },
    },
  ],
  ['fal-ai/krea/v2/medium/text-to-image', krea],
  ['fal-ai/krea/v2/large/text-to-image', krea],
]);
