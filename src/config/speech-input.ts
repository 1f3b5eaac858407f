/** Who turns voice messages into text: what `stt` and the environment say. */
import * as z from 'zod';
import { filled } from './env-values.ts';
import type { LoadedConfig } from './load.ts';
import { type KnownService, knownServices, type ServiceId } from './recognisers.ts';
import { reachService } from './service-reach.ts';
import type { SpeechLogins } from './speech-output.ts';
import { type GatewayDoor, wayTo } from './tool-gateway.ts';
import type { Variables } from './variables.ts';

/** A service that is sent the sound. */
export interface SpeechService {
  readonly id: ServiceId;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Absent where a server of the owner's wants none, and where it is asked through the gateway. */
  readonly key?: string;
  /** Its token stands for the key. */
  readonly gateway?: GatewayDoor;
  /** There is a login for it, which goes before the key. */
  readonly login?: true;
  /** Empty: it is asked what it has, or has only one. */
  readonly model: string;
  /** ISO 639-1; absent: the service finds out. */
  readonly language?: string;
  /** `stt.<service>` as it is written; each service reads its own part. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A program of this machine that is run for each message. */
export interface SpeechProgram {
  readonly id: 'local_command' | 'command';
  /** As `stt.provider` names it. */
  readonly name: string;
  /** For the shell, with places for values in braces. */
  readonly command: string;
  readonly format: SpeechFormat;
  readonly language: string;
  /** May be empty. */
  readonly model: string;
  /** How long it may run. */
  readonly seconds: number;
}

const formats = ['txt', 'json', 'srt', 'vtt'] as const;
export type SpeechFormat = (typeof formats)[number];

/** `none`: nobody can be asked, `why` in words for the owner. */
export type SpeechInput =
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'service'; readonly service: SpeechService }
  | { readonly kind: 'program'; readonly program: SpeechProgram }
  | { readonly kind: 'plugin'; readonly plugged: PluggedHearing };

/** The code of a plug-in, as `stt.<name>` sets it. */
export interface PluggedHearing {
  /** As `stt.provider` names it. */
  readonly name: string;
  readonly model?: string;
  readonly language?: string;
}

/** One of a plug-in, which stands behind the program's own and the owner's programs. */
export interface PluggedRecogniser {
  readonly name: string;
  readonly plugin: string;
  isAvailable(): boolean;
}

const usualSeconds = 300;
/** Longer timers fire at once. */
const maxSeconds = 86_400;
const text = z.string().optional().catch(undefined);
const map = z.record(z.string(), z.unknown()).catch({});
const written = z.looseObject({ provider: text, providers: map, language: text }).catch({ providers: {} });
const block = z.looseObject({ model: text, model_id: text, api_key: text, base_url: text, language: text }).catch({});
const format = z.enum(formats).optional().catch(undefined);
const seconds = z.coerce.number().positive().max(maxSeconds).optional().catch(undefined);
const ownProgram = z.looseObject({
  type: z.literal('command').optional(),
  command: z.string().trim().min(1),
  format,
  output_format: format,
  timeout: seconds,
  timeout_seconds: seconds,
  language: text,
  model: text,
});
/** Models of services that a setting from before may name; no program here has them. */
const servicesModels = new Set(
  `whisper-1 gpt-4o-mini-transcribe gpt-4o-transcribe whisper-large-v3 whisper-large-v3-turbo distil-whisper-large-v3-en`.split(
    ' ',
  ),
);
const whisper =
  'whisper {input_path} --model {model} --output_format txt --output_dir {output_dir} --language {language}';

/**
 * What is named is the only one. Without a name it is the program of this machine, else the first service with a key.
 * `isInstalled` looks for a program.
 */
export function speechInput(
  { raw }: Pick<LoadedConfig, 'raw'>,
  env: Variables,
  isInstalled: (program: string) => boolean,
  own: SpeechLogins = {},
  added: readonly PluggedRecogniser[] = [],
): SpeechInput {
  const stt = written.parse(raw['stt'] ?? {});
  const named = filled(stt.provider)?.toLowerCase();
  if (named === undefined || named === 'local' || named === 'local_command') {
    const program = localProgram(block.parse(stt['local'] ?? {}), env, isInstalled);
    if (program !== undefined) return { kind: 'program', program };
    if (named !== undefined) return { kind: 'none', why: noLocal };
  }
  const candidates = named === undefined ? knownServices : knownServices.filter(({ id }) => id === named);
  let why: string | undefined;
  for (const known of candidates) {
    const service = serviceFrom(known, block.parse(stt[known.id] ?? {}), env, own);
    if (!('why' in service)) return { kind: 'service', service };
    why = service.why;
  }
  if (named === undefined)
    return {
      kind: 'none',
      why: `no service or program for it is set up: set a key such as ${knownServices[0]?.keys?.[0]}, or install whisper; more in docs/speech.md`,
    };
  if (why !== undefined) return { kind: 'none', why };
  const program = ownProgram.safeParse(stt.providers[named] ?? stt[named]).data;
  if (program === undefined) {
    const plugged = added.find(({ name }) => name === named);
    return plugged === undefined ? { kind: 'none', why: unknown(named) } : pluginHearing(plugged, stt);
  }
  return {
    kind: 'program',
    program: {
      id: 'command',
      name: named,
      command: program.command,
      format: program.format ?? program.output_format ?? 'txt',
      language: filled(program.language) ?? filled(stt.language) ?? 'en',
      model: filled(program.model) ?? '',
      seconds: program.timeout ?? program.timeout_seconds ?? usualSeconds,
    },
  };
}

function pluginHearing(plugged: PluggedRecogniser, stt: z.infer<typeof written>): SpeechInput {
  const { name, plugin } = plugged;
  if (!plugged.isAvailable())
    return { kind: 'none', why: `stt.provider is '${name}', and the plug-in ${plugin} says that it is not set up` };
  const own = block.parse(stt[name] ?? {});
  const [model, language] = [filled(own.model), filled(own.language) ?? filled(stt.language)];
  return {
    kind: 'plugin',
    plugged: { name, ...(model === undefined ? {} : { model }), ...(language === undefined ? {} : { language }) },
  };
}

function localProgram(
  own: z.infer<typeof block>,
  env: Variables,
  isInstalled: (program: string) => boolean,
): SpeechProgram | undefined {
  const command = filled(env['HERMES_LOCAL_STT_COMMAND']) ?? (isInstalled('whisper') ? whisper : undefined);
  if (command === undefined) return undefined;
  const model = filled(own.model);
  return {
    id: 'local_command',
    name: 'local_command',
    command,
    format: 'txt',
    language: filled(own.language) ?? filled(env['HERMES_LOCAL_STT_LANGUAGE']) ?? 'en',
    model: model === undefined || servicesModels.has(model) ? 'base' : model,
    seconds: usualSeconds,
  };
}

function serviceFrom(
  known: KnownService,
  own: z.infer<typeof block>,
  env: Variables,
  { gateway, logins }: SpeechLogins,
): SpeechService | { readonly why: string } {
  const { id, modelVariable } = known;
  const first = (names: readonly string[]) =>
    names.map((name) => filled(env[name])).find((found) => found !== undefined);
  const place = { block: `stt.${id}`, key: filled(own.api_key), address: filled(own.base_url) };
  // A login goes to its own address: who names another one means a key.
  const hasLogin =
    logins?.has(id) === true && (place.key ?? place.address ?? first(known.loginAddressVariables ?? [])) === undefined;
  const direct = reachService(hasLogin ? { ...known, keylessAnywhere: true } : known, place, env);
  // There is no setting for it: a key, or a server of one's own, always goes before the gateway.
  const choice = { isWanted: false, hasOwn: !('why' in direct) || place.address !== undefined };
  const way = id === 'openai' ? wayTo('openai-audio', choice, gateway) : undefined;
  const reached = way?.kind === 'gateway' ? { baseUrl: `${way.address}/v1`, gateway: way } : direct;
  if ('why' in reached) return reached;
  // The variable is older than the key, and this service does not find the language by itself.
  const language = filled(own.language) ?? (id === 'xai' ? filled(env['HERMES_LOCAL_STT_LANGUAGE']) : undefined);
  return {
    id,
    ...reached,
    ...(hasLogin ? { login: true as const } : {}),
    model: filled(own[known.modelKey]) ?? first(modelVariable === undefined ? [] : [modelVariable]) ?? known.model,
    ...(language === undefined ? {} : { language }),
    settings: own,
  };
}

const noLocal = 'HERMES_LOCAL_STT_COMMAND is not set, and there is no whisper in PATH';

function unknown(named: string): string {
  const there = ['local_command', ...knownServices.map(({ id }) => id)].join(', ');
  return `stt.provider '${named}' is none of ${there}, and stt.providers.${named}.command is not set`;
}
