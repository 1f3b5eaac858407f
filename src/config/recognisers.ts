/** Every service that turns speech into text: where it is, and which variables say so. Own programs are in `speech-input.ts`. */
import type { ServicePlace } from './service-reach.ts';

export type ServiceId = 'groq' | 'openai' | 'mistral' | 'xai' | 'elevenlabs' | 'deepinfra';

export interface KnownService extends ServicePlace {
  /** As `stt.provider` names it. */
  readonly id: ServiceId;
  readonly modelVariable?: string;
  /** Variables with an address that a login is not sent to. */
  readonly loginAddressVariables?: readonly string[];
  /** The key in its settings that names the model. */
  readonly modelKey: 'model' | 'model_id';
  /** Empty: it is asked what it has, or has only one. */
  readonly model: string;
}

/** In the order in which they are looked for when none is named. */
export const knownServices: readonly KnownService[] = [
  {
    id: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keys: ['GROQ_API_KEY'],
    domains: ['groq.com'],
    modelVariable: 'STT_GROQ_MODEL',
    modelKey: 'model',
    model: 'whisper-large-v3-turbo',
    addressVariables: ['GROQ_BASE_URL'],
  },
  {
    id: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keys: ['VOICE_TOOLS_OPENAI_KEY', 'OPENAI_API_KEY'],
    domains: ['openai.com'],
    keylessElsewhere: true,
    modelVariable: 'STT_OPENAI_MODEL',
    modelKey: 'model',
    model: 'whisper-1',
    addressVariables: ['STT_OPENAI_BASE_URL'],
  },
  {
    id: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    keys: ['MISTRAL_API_KEY'],
    domains: ['mistral.ai'],
    modelVariable: 'STT_MISTRAL_MODEL',
    modelKey: 'model',
    model: 'voxtral-mini-latest',
  },
  {
    id: 'xai',
    baseUrl: 'https://api.x.ai/v1',
    keys: ['XAI_API_KEY'],
    domains: ['x.ai'],
    modelKey: 'model',
    model: '',
    addressVariables: ['XAI_STT_BASE_URL', 'XAI_BASE_URL'],
    loginAddressVariables: ['XAI_STT_BASE_URL'],
  },
  {
    id: 'elevenlabs',
    baseUrl: 'https://api.elevenlabs.io/v1',
    keys: ['ELEVENLABS_API_KEY'],
    domains: ['elevenlabs.io'],
    modelVariable: 'STT_ELEVENLABS_MODEL',
    modelKey: 'model_id',
    model: 'scribe_v2',
    addressVariables: ['ELEVENLABS_STT_BASE_URL'],
  },
  {
    id: 'deepinfra',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    keys: ['DEEPINFRA_API_KEY'],
    domains: ['deepinfra.com'],
    modelKey: 'model',
    model: '',
    addressVariables: ['DEEPINFRA_BASE_URL'],
  },
];
