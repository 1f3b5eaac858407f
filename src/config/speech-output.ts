/** Who speaks: what `tts` and the environment say, as far as this build has the service. */
import * as z from 'zod';
import { filled } from './env-values.ts';
import type { Config } from './schema.ts';
import { reachService } from './service-reach.ts';
import { type KnownSpeaker, type SpeakerId, speakers } from './speakers.ts';
import { type GatewayDoor, type ToolGateway, wayTo } from './tool-gateway.ts';
import type { Variables } from './variables.ts';

export interface Speaker {
  /** `command`: a program of `tts.providers`; `plugin`: the code of a plug-in. */
  readonly id: SpeakerId | 'command' | 'plugin';
  /** As `tts.provider` names it. */
  readonly provider: string;
  /** As people call it. */
  readonly name: string;
  /** Without a slash at its end; empty for a program of this machine. */
  readonly baseUrl: string;
  /** Absent where none is needed. */
  readonly key?: string;
  /** Its token stands for the key. */
  readonly gateway?: GatewayDoor;
  /** There is a login for it, which goes before the key. */
  readonly login?: true;
  /** What it runs, by name. */
  readonly program?: string;
  /** `tts.<provider>` as it is written; each provider reads its own part. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** 1 is as usual. */
  readonly speed: number;
  /** `max_text_length`, over what the provider says by itself. */
  readonly maxCharacters?: number;
}

/** `none`: nobody speaks, `why` in words for the owner. */
export type SpeechOutput =
  | { readonly kind: 'none'; readonly why: string }
  | { readonly kind: 'speaker'; readonly speaker: Speaker };

const text = z.string().optional().catch(undefined);
const positive = z.coerce.number().positive().optional().catch(undefined);
const block = z
  .looseObject({
    api_key: text,
    base_url: text,
    speed: positive,
    max_text_length: z.int().positive().optional().catch(undefined),
  })
  .catch({});

/** Speech of a plug-in, which stands behind the program's own and the owner's programs. */
export interface PluggedSpeaker {
  /** As `tts.provider` names it. */
  readonly name: string;
  readonly displayName: string;
  readonly plugin: string;
  isAvailable(): boolean;
  /** What it makes is fit for voice messages. */
  isVoice(): boolean;
  /** `tts` as it is written. */
  readonly written: unknown;
}

/** What a person has beside the keys of the environment. */
export interface SpeechLogins {
  readonly added?: readonly PluggedSpeaker[];
  readonly gateway?: ToolGateway;
  /** Services that somebody is logged in to. */
  readonly logins?: ReadonlySet<string>;
}

/** The one that is named speaks, or nobody does. */
export function speechOutput(
  tts: Config['tts'],
  env: Variables,
  { gateway, logins = new Set(), added = [] }: SpeechLogins = {},
): SpeechOutput {
  const named = filled(tts.provider)?.trim().toLowerCase() ?? 'edge';
  const known = speakers.find(({ id }) => id === named);
  const own = block.parse(known === undefined ? {} : (tts[known.id] ?? {}));
  if (known === undefined) {
    const command = commandSpeaker(named, tts);
    if (command !== undefined) return { kind: 'speaker', speaker: command };
    const plugged = added.find(({ name }) => name === named);
    if (plugged !== undefined) return pluginSpeaker(plugged, tts);
    const there = speakers.map(({ id }) => id).join(', ');
    return {
      kind: 'none',
      why: `tts.provider '${named}' is not in this build (${there} are), nor is it one of tts.providers`,
    };
  }
  const place = { block: `tts.${known.id}`, key: filled(own.api_key), address: filled(own.base_url) };
  // What the owner wrote down for it is what is meant.
  const hasLogin = logins.has(known.id) && place.key === undefined && place.address === undefined;
  const direct = reachService(hasLogin ? { ...known, keylessAnywhere: true } : known, place, env);
  const reached = known.id === 'openai' ? throughGateway(direct, tts.use_gateway, gateway) : direct;
  if ('why' in reached) return { kind: 'none', why: reached.why };
  const { max_text_length: maxCharacters } = own;
  return {
    kind: 'speaker',
    speaker: {
      id: known.id,
      provider: known.id,
      name: known.name,
      ...(known.program === undefined ? {} : { program: known.program }),
      ...reached,
      ...(hasLogin ? { login: true } : {}),
      settings: { ...settingsOf(known, env), ...own, ...('gateway' in reached ? { model: gatewayModel } : {}) },
      speed: own.speed ?? tts.speed,
      ...(maxCharacters === undefined ? {} : { maxCharacters }),
    },
  };
}

function settingsOf({ settingVariables = {} }: KnownSpeaker, env: Variables): Readonly<Record<string, unknown>> {
  const found = Object.entries(settingVariables).map(([name, variable]) => [name, filled(env[variable])] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** A program that the owner says how to call. Undefined where there is none of this name. */
function commandSpeaker(named: string, tts: Config['tts']): Speaker | undefined {
  const found = Object.entries(tts.providers).find(([name]) => name.trim().toLowerCase() === named)?.[1];
  const kind = text.parse(found?.['type'])?.trim().toLowerCase() ?? '';
  if (found === undefined || found.command.trim() === '' || !['', 'command'].includes(kind)) return undefined;
  const { speed, max_text_length: maxCharacters } = block.parse(found);
  return {
    id: 'command',
    provider: named,
    name: named,
    baseUrl: '',
    settings: found,
    speed: speed ?? tts.speed,
    ...(maxCharacters === undefined ? {} : { maxCharacters }),
  };
}

const besideName = z.looseObject({ voice: text, model: text, output_format: text }).catch({});

function pluginSpeaker(plugged: PluggedSpeaker, tts: Config['tts']): SpeechOutput {
  const { name, displayName, plugin } = plugged;
  if (!plugged.isAvailable())
    return { kind: 'none', why: `tts.provider is '${name}', and the plug-in ${plugin} says that it is not set up` };
  // As the original has it beside the name; what stands below the name goes before it.
  const { voice, model, output_format, ...blocks } = besideName.parse(plugged.written ?? {});
  const own = block.parse({ voice, model, output_format, ...block.parse(blocks[name] ?? {}) });
  const { speed, max_text_length: maxCharacters } = own;
  return {
    kind: 'speaker',
    speaker: {
      id: 'plugin',
      provider: name,
      name: displayName,
      baseUrl: '',
      settings: { voice_compatible: plugged.isVoice(), ...own },
      speed: speed ?? tts.speed,
      ...(maxCharacters === undefined ? {} : { maxCharacters }),
    },
  };
}

/** The only one that the gateway has. */
const gatewayModel = 'gpt-4o-mini-tts';

type Reached = Pick<Speaker, 'baseUrl' | 'key' | 'gateway'> | { readonly why: string };

function throughGateway(direct: Reached, isWanted: boolean, gateway: ToolGateway | undefined): Reached {
  const way = wayTo('openai-audio', { isWanted, hasOwn: !('why' in direct) }, gateway);
  if (way.kind === 'gateway') return { baseUrl: `${way.address}/v1`, gateway: way };
  if (way.kind === 'direct' || !isWanted) return direct;
  return { why: 'tts.use_gateway is true, and nobody is logged in; log in with `hermes auth add nous`' };
}
