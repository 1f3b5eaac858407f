/** Which key goes to which host. */
import { hostMatches } from '../llm/endpoint.ts';
import type { ProviderProfile } from '../llm/provider.ts';
import { usableSecret } from '../lib/secrets.ts';

/** Variables by name; secrets are among them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A key that the environment or the configuration holds, with where it is from (`env:NAME`, `config:<name>`). */
export interface KeySeed {
  readonly source: string;
  readonly secret: string;
}

/**
 * The keys of the environment that may go to `hostname`, best first. OpenRouter's key is sent to openrouter.ai only,
 * whatever a configuration calls the endpoint; a provider's keys go to its own domains where it names them, else
 * wherever its base URL leads.
 */
export function keysFor(profile: ProviderProfile, hostname: string, env: Environment): readonly KeySeed[] {
  const names = profile.keyVariables.filter((name) => mayGoTo(name, profile, hostname));
  const openRouter = hostMatches(hostname, 'openrouter.ai') && !names.includes(openRouterKey) ? [openRouterKey] : [];
  return [...openRouter, ...names].flatMap((name) => {
    const secret = usableSecret(env[name]);
    return secret === undefined ? [] : [{ source: `env:${name}`, secret }];
  });
}

const openRouterKey = 'OPENROUTER_API_KEY';

function mayGoTo(variable: string, { keyDomains }: ProviderProfile, hostname: string): boolean {
  const domains = scopedKeys.get(variable) ?? keyDomains;
  return domains === undefined || domains.some((domain) => hostMatches(hostname, domain));
}

/** The variable that a key of the provider is best stored in: one that is in use, else the one with the usual name. */
export function keyVariable({ keyVariables }: ProviderProfile, env: Environment = {}): string | undefined {
  const inUse = keyVariables.find((name) => usableSecret(env[name]) !== undefined);
  return inUse ?? keyVariables.find((name) => name.endsWith('_API_KEY')) ?? keyVariables[0];
}

/** Keys that stay at home even when a profile of the user's own names them. */
const scopedKeys: ReadonlyMap<string, readonly string[]> = new Map([
  [openRouterKey, ['openrouter.ai']],
  ['AI_GATEWAY_API_KEY', ['ai-gateway.vercel.sh']],
  ['OLLAMA_API_KEY', ['ollama.com']],
]);

export { usableSecret as usableKey } from '../lib/secrets.ts';
