/** Every provider of speech, one line each. To add one: one file in `providers/`, one entry in `config/speakers.ts`, one line here. */
import type { SpeakerId } from '../config/speakers.ts';
import type { SpeechProvider } from './speech-provider.ts';

export const speechCatalogue: Readonly<Record<SpeakerId, () => Promise<SpeechProvider>>> = {
  edge: async () => (await import('./providers/edge.ts')).edge,
  openai: async () => (await import('./providers/openai.ts')).openai,
  espeak: async () => (await import('./providers/espeak.ts')).espeak,
};
