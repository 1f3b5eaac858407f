/** Where the requests of a provider go. */
import { UserError } from '../lib/errors.ts';
import { type ChosenProvider, filled, namesProvider, type RouteRequest } from './choose-provider.ts';
import { hostMatches } from '../llm/endpoint.ts';
import type { Environment } from '../credentials/keys.ts';
import type { ModelSettings } from './model-settings.ts';

export interface Address {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly hostname: string;
  /** The provider's own host, not one that the user put in its place. */
  readonly ownHost: boolean;
  /** Nobody chose it: it is the provider's default. */
  readonly isDefault: boolean;
}

/**
 * Asked for, saved, configured, from the environment, or the provider's own. Throws `UserError` when there is none, or
 * it is no http(s) URL.
 */
export function addressOf(
  chosen: ChosenProvider,
  request: RouteRequest,
  own: ModelSettings,
  settings: ModelSettings,
  env: Environment,
): Address {
  const { profile } = chosen;
  const chosenByUser =
    filled(request.baseUrl) ??
    filled(chosen.saved?.base_url) ??
    filled(own.base_url) ??
    fromEnvironment(chosen, request, settings, env);
  const written = chosenByUser ?? filled(cloudAddress(profile.id, settings, env)) ?? profile.baseUrl;
  if (written === '')
    throw new UserError(`No address is set for provider '${chosen.id}'.`, { hint: addressHint(chosen) });
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    const shown = written.replace(/\/\/[^@/]*@/, '//***@');
    throw new UserError(`The address of provider '${chosen.id}' is not an http(s) URL: ${shown}`, {
      hint: 'Correct it with `hermes config set model.base_url <url>`.',
    });
  }
  const domain = URL.parse(profile.baseUrl)?.hostname;
  const ownDomains = [...(profile.keyDomains ?? []), ...(domain === undefined ? [] : [domain])];
  return {
    baseUrl: withoutSlash(written),
    hostname: url.hostname,
    ownHost: chosenByUser === undefined || ownDomains.some((own) => hostMatches(url.hostname, own)),
    isDefault: chosenByUser === undefined,
  };
}

export function withoutSlash(url: string): string {
  return url.trim().replace(/\/+$/, '');
}

/** Anthropic's variable is set for other programs too, so it counts only where Anthropic was named. */
function fromEnvironment(
  { profile }: ChosenProvider,
  request: RouteRequest,
  settings: ModelSettings,
  env: Environment,
): string | undefined {
  const variable = profile.baseUrlVariable;
  if (variable === undefined) return undefined;
  if (profile.id === 'anthropic' && !namesProvider(profile.id, request, settings, env)) return undefined;
  return filled(env[variable]);
}

/** Clouds put regions and projects into their host names. */
function cloudAddress(id: string, settings: ModelSettings, env: Environment): string | undefined {
  if (id === 'bedrock') return `https://bedrock-runtime.${awsRegion(settings, env)}.amazonaws.com`;
  if (id !== 'vertex') return undefined;
  const project = filled(env['GOOGLE_CLOUD_PROJECT']) ?? filled(env['VERTEX_PROJECT']);
  if (project === undefined) return undefined;
  const location = filled(env['GOOGLE_CLOUD_LOCATION']) ?? filled(env['VERTEX_LOCATION']) ?? 'us-central1';
  const host = location === 'global' ? 'aiplatform.googleapis.com' : `${location}-aiplatform.googleapis.com`;
  return `https://${host}/v1/projects/${project}/locations/${location}/publishers/google`;
}

export function awsRegion(settings: ModelSettings, env: Environment): string {
  return (
    filled(settings.bedrock?.region) ?? filled(env['AWS_REGION']) ?? filled(env['AWS_DEFAULT_REGION']) ?? 'us-east-1'
  );
}

function addressHint({ profile }: ChosenProvider): string {
  if (profile.id === 'vertex') return 'Set GOOGLE_CLOUD_PROJECT (and GOOGLE_CLOUD_LOCATION) in the environment.';
  const example = profile.id === 'custom' ? 'http://localhost:11434/v1' : '<url>';
  return `Set it with \`hermes config set model.base_url ${example}\`, or ${profile.baseUrlVariable ?? 'base_url'} in the environment.`;
}
