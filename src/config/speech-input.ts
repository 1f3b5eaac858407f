/** Who turns voice messages into text: what `stt` and the environment say. */
import * as z from 'zod';
import { filled } from './env-values.ts';
import type { LoadedConfig } from './load.ts';
import { type KnownService, knownServices, type ServiceId } from './recognisers.ts';
import type { Variables } from './variables.ts';

/** A service that is sent the sound. */
export interface SpeechService {
  readonly id: ServiceId;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly key: string;
  /** Empty: it is asked what it has, or has only one. */
  readonly model: string;
  /** ISO 639-1; absent: the service finds out. */
  readonly language?: string;
  /** `stt.<service>` as it is written; each service reads its own part. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** `off`: nobody is asked, on purpose; `none`: nobody can be, `why` in words for the owner. */
export type SpeechInput =
  | { readonly kind: 'off' }
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'service'; readonly service: SpeechService };

const text = z.string().optional().catch(undefined);
const written = z.looseObject({ provider: text }).catch({ provider: undefined });
const block = z.looseObject({ model: text, model_id: text, api_key: text, base_url: text, language: text }).catch({});

/** What is named is the only one; without a name the first service with a key is taken. */
export function speechInput({ config, raw }: LoadedConfig, env: Variables): SpeechInput {
  if (!config.stt.enabled) return { kind: 'off' };
  const asked = written.parse(raw['stt'] ?? {});
  const named = filled(asked.provider)?.trim().toLowerCase();
  const candidates = named === undefined ? knownServices : knownServices.filter(({ id }) => id === named);
  for (const known of candidates) {
    const service = serviceFrom(known, block.parse(asked[known.id] ?? {}), env);
    if (service !== undefined) return { kind: 'service', service };
  }
  return { kind: 'none', why: whyNone(named, candidates[0]) };
}

function serviceFrom(known: KnownService, own: z.infer<typeof block>, env: Variables): SpeechService | undefined {
  const { id, keys, modelVariable, addressVariables = [] } = known;
  const first = (names: readonly string[]) =>
    names.map((name) => filled(env[name])).find((found) => found !== undefined);
  const key = filled(own.api_key) ?? first(keys);
  const baseUrl = filled(own.base_url) ?? first(addressVariables) ?? known.baseUrl;
  if (key === undefined || !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) return undefined;
  const language = filled(own.language);
  return {
    id,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    key,
    model: filled(own[known.modelKey]) ?? first(modelVariable === undefined ? [] : [modelVariable]) ?? known.model,
    ...(language === undefined ? {} : { language }),
    settings: own,
  };
}

function whyNone(named: string | undefined, known: KnownService | undefined): string {
  if (known !== undefined && named !== undefined) return `${known.keys[0]} is not set, or its address is none`;
  return named === undefined
    ? 'no service for it is set up'
    : `stt.provider '${named}' is not in this build (${knownServices.map(({ id }) => id).join(', ')} are)`;
}
