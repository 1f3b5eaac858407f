/** Every service that makes videos, one line each. */
import { deepinfra } from './deepinfra.ts';
import { fal } from './fal.ts';
import type { VideoProvider } from './video-provider.ts';
import { xai } from './xai.ts';

export const videoProviders: readonly VideoProvider[] = [fal, xai, deepinfra];
