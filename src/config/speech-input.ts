/** Who turns voice messages into text: what `stt` and the environment say, as far as this build has the service. */
import * as z from 'zod';
import { filled } from './env-values.ts';
import type { LoadedConfig } from './load.ts';
import type { Variables } from './variables.ts';

/** A service that speaks OpenAI's `/audio/transcriptions`. */
export interface SpeechService {
  readonly name: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  /** ISO 639-1; absent: the service finds out. */
  readonly language?: string;
}

/** `off`: nobody is asked, on purpose; `none`: nobody can be, `why` in words for the owner. */
export type SpeechInput =
  | { readonly kind: 'off' }
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'service'; readonly service: SpeechService; readonly echo: boolean };

interface KnownService {
  readonly name: 'groq' | 'openai' | 'mistral';
  readonly baseUrl: string;
  readonly keys: readonly string[];
  readonly modelVariable: string;
  readonly addressVariable?: string;
}

/** In the order in which they are looked for. */
const services: readonly KnownService[] = [
  {
    name: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keys: ['GROQ_API_KEY'],
    modelVariable: 'STT_GROQ_MODEL',
    addressVariable: 'GROQ_BASE_URL',
  },
  {
    name: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keys: ['VOICE_TOOLS_OPENAI_KEY', 'OPENAI_API_KEY'],
    modelVariable: 'STT_OPENAI_MODEL',
    addressVariable: 'STT_OPENAI_BASE_URL',
  },
  {
    name: 'mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    keys: ['MISTRAL_API_KEY'],
    modelVariable: 'STT_MISTRAL_MODEL',
  },
];

const text = z.string().optional().catch(undefined);
const written = z.looseObject({ provider: text }).catch({ provider: undefined });
const block = z.looseObject({ model: text, api_key: text, base_url: text, language: text }).catch({});

/** A service that is named is the only one; without a name the first one with a key is taken. */
export function speechInput({ config, raw }: LoadedConfig, env: Variables): SpeechInput {
  const { stt } = config;
  if (!stt.enabled) return { kind: 'off' };
  const asked = written.parse(raw['stt'] ?? {});
  const named = filled(asked.provider)?.trim().toLowerCase();
  const candidates = named === undefined ? services : services.filter(({ name }) => name === named);
  for (const known of candidates) {
    const service = serviceFrom(known, block.parse(asked[known.name] ?? {}), env);
    if (service !== undefined) return { kind: 'service', service, echo: stt.echo_transcripts };
  }
  return { kind: 'none', why: whyNone(named, candidates[0]) };
}

function serviceFrom(known: KnownService, own: z.infer<typeof block>, env: Variables): SpeechService | undefined {
  const { name, keys, modelVariable, addressVariable } = known;
  const ofVariable = (variable: string | undefined) => (variable === undefined ? undefined : filled(env[variable]));
  const key = filled(own.api_key) ?? keys.map(ofVariable).find((found) => found !== undefined);
  const baseUrl = filled(own.base_url) ?? ofVariable(addressVariable) ?? known.baseUrl;
  if (key === undefined || !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) return undefined;
  const language = filled(own.language);
  return {
    name,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    key,
    model: filled(own.model) ?? ofVariable(modelVariable) ?? defaultModels[name],
    ...(language === undefined ? {} : { language }),
  };
}

const defaultModels = { groq: 'whisper-large-v3-turbo', openai: 'whisper-1', mistral: 'voxtral-mini-latest' } as const;

function whyNone(named: string | undefined, known: KnownService | undefined): string {
  if (known !== undefined && named !== undefined) return `${known.keys[0]} is not set, or its address is none`;
  return named === undefined
    ? 'no service for it is set up'
    : `stt.provider '${named}' is not in this build (${services.map(({ name }) => name).join(', ')} are)`;
}
