/** Everything that hears, one line each. To add one: one file here, one entry in `config/recognisers.ts`, one line here. */
import type { ServiceId } from '../../config/recognisers.ts';
import type { SpeechProgram } from '../../config/speech-input.ts';
import type { AskService, RunProgram } from './recogniser.ts';

export const serviceCatalogue: Readonly<Record<ServiceId, () => Promise<AskService>>> = {
  groq: async () => (await import('./openai-format.ts')).askOpenAi,
  openai: async () => (await import('./openai-format.ts')).askOpenAi,
  mistral: async () => (await import('./openai-format.ts')).askOpenAi,
  xai: async () => (await import('./xai.ts')).askXai,
  elevenlabs: async () => (await import('./elevenlabs.ts')).askElevenLabs,
  deepinfra: async () => (await import('./deepinfra.ts')).askDeepInfra,
};

export const programCatalogue: Readonly<Record<SpeechProgram['id'], () => Promise<RunProgram>>> = {
  local_command: async () => (await import('./local-command.ts')).runLocalCommand,
  command: async () => (await import('./command.ts')).runOwnCommand,
};
