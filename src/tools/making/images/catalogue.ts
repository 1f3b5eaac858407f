/** Every service that makes pictures, one line each. */
import { deepinfra } from './deepinfra.ts';
import { fal } from './fal.ts';
import type { ImageProvider } from './image-provider.ts';
import { krea } from './krea.ts';
import { openai } from './openai.ts';
import { openaiCodex } from './openai-codex.ts';
import { nous, openrouter } from './openrouter.ts';
import { xai } from './xai.ts';

export const imageProviders: readonly ImageProvider[] = [
  fal,
  openai,
  openaiCodex,
  xai,
  krea,
  openrouter,
  nous,
  deepinfra,
];
