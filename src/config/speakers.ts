/** Every service and program that speaks: where it is, and which variables hold its key. */
import type { ServicePlace } from './service-reach.ts';

export interface KnownSpeaker extends ServicePlace {
  /** As `tts.provider` names it. */
  readonly id: SpeakerId;
  /** As people call it. */
  readonly name: string;
  /** Settings that a variable stands for where they are not written. */
  readonly settingVariables?: Readonly<Record<string, string>>;
  /** What it runs on this machine, by name. */
  readonly program?: string;
}

export type SpeakerId =
  | 'edge'
  | 'openai'
  | 'elevenlabs'
  | 'minimax'
  | 'mistral'
  | 'gemini'
  | 'xai'
  | 'deepinfra'
  | 'piper'
  | 'kittentts'
  | 'neutts'
  | 'espeak';

const python = process.platform === 'win32' ? 'python' : 'python3';

export const speakers: readonly KnownSpeaker[] = [
  { id: 'edge', name: 'Edge', baseUrl: 'wss://speech.platform.bing.com/consumer/speech/synthesize/readaloud' },
  {
    id: 'openai',
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    keys: ['VOICE_TOOLS_OPENAI_KEY', 'OPENAI_API_KEY'],
    domains: ['openai.com'],
    keylessElsewhere: true,
  },
  {
    id: 'elevenlabs',
    name: 'ElevenLabs',
    baseUrl: 'https://api.elevenlabs.io/v1',
    keys: ['ELEVENLABS_API_KEY'],
    domains: ['elevenlabs.io'],
  },
  {
    id: 'minimax',
    name: 'MiniMax',
    baseUrl: 'https://api.minimax.io/v1/t2a_v2',
    keys: ['MINIMAX_API_KEY'],
    domains: ['minimax.io', 'minimaxi.com', 'minimax.chat'],
    settingVariables: { group_id: 'MINIMAX_GROUP_ID' },
  },
  {
    id: 'mistral',
    name: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    keys: ['MISTRAL_API_KEY'],
    domains: ['mistral.ai'],
  },
  {
    id: 'gemini',
    name: 'Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    domains: ['googleapis.com'],
    addressVariables: ['GEMINI_BASE_URL'],
  },
  {
    id: 'xai',
    name: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    keys: ['XAI_API_KEY'],
    domains: ['x.ai'],
    addressVariables: ['XAI_BASE_URL'],
  },
  {
    id: 'deepinfra',
    name: 'DeepInfra',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    keys: ['DEEPINFRA_API_KEY'],
    domains: ['deepinfra.com'],
    addressVariables: ['DEEPINFRA_BASE_URL'],
  },
  { id: 'piper', name: 'Piper', program: 'piper' },
  { id: 'kittentts', name: 'KittenTTS', program: python },
  { id: 'neutts', name: 'NeuTTS', program: python },
  { id: 'espeak', name: 'eSpeak NG', program: 'espeak-ng' },
];
