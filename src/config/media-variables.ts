/** What the environment says about services that make pictures and videos. */
import { filled } from './env-values.ts';
import { type GatewayUse, type ToolGateway, type Way, wayTo } from './tool-gateway.ts';
import type { Variables } from './variables.ts';

export const mediaServices = [
  'fal',
  'openai',
  'xai',
  'krea',
  'openrouter',
  'deepinfra',
  'nous',
  'openai-codex',
] as const;
export type MediaServiceId = (typeof mediaServices)[number];

export interface ServiceVariables {
  readonly key: string | undefined;
  /** The model for pictures. */
  readonly imageModel: string | undefined;
  /** The model for videos. */
  readonly videoModel?: string | undefined;
  /** Where it is asked instead. */
  readonly address: string | undefined;
}

export type MediaVariables = Readonly<Record<MediaServiceId, ServiceVariables>>;

/** Undefined = not set. */
export function mediaVariables(variables: Variables): MediaVariables {
  return {
    fal: {
      key: filled(variables['FAL_KEY']),
      imageModel: filled(variables['FAL_IMAGE_MODEL']),
      videoModel: filled(variables['FAL_VIDEO_MODEL']),
      address: undefined,
    },
    openai: {
      key: filled(variables['OPENAI_API_KEY']),
      imageModel: filled(variables['OPENAI_IMAGE_MODEL']),
      address: filled(variables['OPENAI_BASE_URL']),
    },
    xai: {
      key: filled(variables['XAI_API_KEY']),
      imageModel: filled(variables['XAI_IMAGE_MODEL']),
      address: filled(variables['XAI_BASE_URL']),
    },
    krea: {
      key: filled(variables['KREA_API_KEY']),
      imageModel: filled(variables['KREA_IMAGE_MODEL']),
      address: undefined,
    },
    openrouter: {
      key: filled(variables['OPENROUTER_API_KEY']),
      imageModel: filled(variables['OPENROUTER_IMAGE_MODEL']),
      address: filled(variables['OPENROUTER_BASE_URL']),
    },
    deepinfra: {
      key: filled(variables['DEEPINFRA_API_KEY']),
      imageModel: filled(variables['DEEPINFRA_IMAGE_MODEL']),
      address: filled(variables['DEEPINFRA_BASE_URL']),
    },
    nous: {
      key: undefined,
      imageModel: filled(variables['NOUS_IMAGE_MODEL']),
      address: filled(variables['NOUS_INFERENCE_BASE_URL']),
    },
    'openai-codex': {
      key: undefined,
      imageModel: filled(variables['OPENAI_IMAGE_MODEL']),
      address: filled(variables['HERMES_CODEX_BASE_URL']),
    },
  };
}

/** Which service makes pictures or videos: the one that is named, else FAL. */
export function makerNamed(provider: string | undefined): string {
  return provider?.trim().toLowerCase() || 'fal';
}

/** What the tool gateway has of them. */
const gatewayUses: Readonly<Record<MadeThing, Partial<Record<MediaServiceId, GatewayUse>>>> = {
  image: { fal: 'fal', krea: 'krea' },
  video: { fal: 'fal-video' },
};

export type MadeThing = 'image' | 'video';

export interface MakerChoice {
  readonly provider?: string | undefined;
  readonly use_gateway?: boolean | undefined;
}

/** What a person has beside the keys of the environment. */
export interface MakerLogins {
  readonly gateway?: ToolGateway | undefined;
  /** Services that somebody is logged in to. */
  readonly logins?: ReadonlySet<string> | undefined;
}

/** `login`: with the login of its owner, which goes before a key. */
export type MakerWay = Way | { readonly kind: 'login' };

/** How the chosen service that makes pictures or videos is reached. */
export function wayToMaker(
  thing: MadeThing,
  { provider, use_gateway: isWanted = false }: MakerChoice,
  makers: MediaVariables,
  { gateway, logins }: MakerLogins = {},
): MakerWay {
  const id = mediaServices.find((known) => known === makerNamed(provider));
  if (id === undefined) return { kind: 'none' };
  const hasOwn = makers[id].key !== undefined;
  if (logins?.has(id) === true) return { kind: 'login' };
  const use = gatewayUses[thing][id];
  return use === undefined ? { kind: hasOwn ? 'direct' : 'none' } : wayTo(use, { isWanted, hasOwn }, gateway);
}
