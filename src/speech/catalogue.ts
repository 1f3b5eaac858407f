/** Every provider of speech, one line each. To add one: one file in `providers/`, one entry in `config/speakers.ts`, one line here. */
import type { Speaker } from '../config/speech-output.ts';
import type { SpeechProvider } from './speech-provider.ts';

export const speechCatalogue: Readonly<Record<Exclude<Speaker['id'], 'plugin'>, () => Promise<SpeechProvider>>> = {
  edge: async () => (await import('./providers/edge.ts')).edge,
  openai: async () => (await import('./providers/openai.ts')).openai,
  elevenlabs: async () => (await import('./providers/elevenlabs.ts')).elevenlabs,
  minimax: async () => (await import('./providers/minimax.ts')).minimax,
  mistral: async () => (await import('./providers/mistral.ts')).mistral,
  gemini: async () => (await import('./providers/gemini.ts')).gemini,
  xai: async () => (await import('./providers/xai.ts')).xai,
  deepinfra: async () => (await import('./providers/deepinfra.ts')).deepinfra,
  piper: async () => (await import('./providers/piper.ts')).piper,
  command: async () => (await import('./providers/command.ts')).command,
  kittentts: async () => (await import('./providers/kittentts.ts')).kittentts,
  neutts: async () => (await import('./providers/neutts.ts')).neutts,
  espeak: async () => (await import('./providers/espeak.ts')).espeak,
};
