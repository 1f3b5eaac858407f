/** Which key goes to which host. */
import { hostMatches, noKeyRequired } from './endpoint.ts';
import type { ProviderProfile } from './provider.ts';

/** Variables by name; secrets are among them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface KeySources {
  /** Named for this endpoint itself: explicit keys and the variables that the configuration points at, in order. */
  readonly own: readonly (string | undefined)[];
  readonly profile: ProviderProfile;
  readonly hostname: string;
  readonly env: Environment;
  /** The base URL is the provider's own, not one that the user put in its place. */
  readonly ownHost: boolean;
}

/**
 * The key for an endpoint; undefined when the provider needs one and none is set. OpenRouter's key is sent to
 * openrouter.ai only, whatever a configuration calls the endpoint; OpenAI's to OpenAI and to endpoints of the
 * user's own that have no key.
 */
export function chooseKey({ own, profile, hostname, env, ownHost }: KeySources): string | undefined {
  const named = own.map(usableKey).find((key) => key !== undefined);
  if (named !== undefined) return named;
  const openRouterKey = usableKey(env['OPENROUTER_API_KEY']);
  if (hostMatches(hostname, 'openrouter.ai') && openRouterKey !== undefined) return openRouterKey;
  const allowed =
    profile.keyDomains === undefined || profile.keyDomains.some((domain) => hostMatches(hostname, domain));
  const standard = allowed
    ? profile.keyVariables.map((name) => usableKey(env[name])).find((key) => key !== undefined)
    : undefined;
  if (standard !== undefined) return standard;
  return profile.auth === 'api_key' && ownHost ? undefined : noKeyRequired;
}

/** The key without the spaces around it; undefined for what is only there to be filled in. */
export function usableKey(value: string | undefined): string | undefined {
  const key = value?.trim() ?? '';
  if (key.length < 4 || /^\$\{[^}]*\}$/.test(key) || /^[*x.]+$/i.test(key)) return undefined;
  return placeholders.has(key.toLowerCase().replaceAll('-', '_')) ? undefined : key;
}

const placeholders: ReadonlySet<string> = new Set([
  'none',
  'null',
  'undefined',
  'changeme',
  'change_me',
  'placeholder',
  'your_api_key',
  'your_api_key_here',
  'your_key',
  'your_key_here',
  'your_token_here',
  'api_key',
  'insert_key_here',
]);
