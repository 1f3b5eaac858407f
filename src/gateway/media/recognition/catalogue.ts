/** Every service that hears, one line each. To add one: one file here, one entry in `config/recognisers.ts`, one line here. */
import type { ServiceId } from '../../../config/recognisers.ts';
import type { AskService } from './recogniser.ts';

export const serviceCatalogue: Readonly<Record<ServiceId, () => Promise<AskService>>> = {
  groq: async () => (await import('./openai-format.ts')).askOpenAi,
  openai: async () => (await import('./openai-format.ts')).askOpenAi,
  mistral: async () => (await import('./openai-format.ts')).askOpenAi,
  xai: async () => (await import('./xai.ts')).askXai,
  elevenlabs: async () => (await import('./elevenlabs.ts')).askElevenLabs,
  deepinfra: async () => (await import('./deepinfra.ts')).askDeepInfra,
};
