/** Which credential may go to a host: a key, a pool of them, or tokens of a cloud. The only place that decides it. */
import { entraVariables, googleCredentialsFile } from '../config/model-variables.ts';
import type { Variables } from '../config/variables.ts';
import type { CredentialPool } from '../credentials/credential.ts';
import { type KeySeed, keyVariable, namedKeys, seedOf } from '../credentials/keys.ts';
import { usableSecret } from '../lib/secrets.ts';
import { UserError } from '../lib/errors.ts';
import type { Authorizer } from '../llm/authorizer.ts';
import { hostMatches, noKeyRequired } from '../llm/endpoint.ts';
import type { ProviderAccess } from '../llm/provider.ts';
import { providerCatalogue } from './catalogue.ts';
import { filled } from '../config/env-values.ts';
import type { CustomProvider } from './model-settings.ts';
import { custom } from './profiles/custom.ts';
import type { RouteSources } from './route-services.ts';
import type { Target } from './target.ts';

export type Access =
  | { readonly kind: 'key'; readonly key: string; readonly account?: string }
  | { readonly kind: 'pool'; readonly pool: CredentialPool }
  /** Without an authorizer, the library of the cloud signs the requests. */
  | { readonly kind: 'cloud'; readonly authorizer?: Authorizer };

/**
 * What was asked for or configured for this very endpoint, else what the provider's kind of login gives: stored
 * logins and keys of the environment, as far as they may go to this host. Throws `UserError` when there is nothing.
 */
export async function accessFor(target: Target, sources: RouteSources, signal?: AbortSignal): Promise<Access> {
  const { chosen, own } = target;
  const { profile } = chosen;
  const { named } = sources.variables;
  if (profile.entra === true && own.auth_mode === 'entra_id') {
    const { entraAuthorizer } = await import('../credentials/clouds/entra.ts');
    return { kind: 'cloud', authorizer: entraAuthorizer(entraVariables(named), { scope: filled(own.entra_scope) }) };
  }
  const key = endpointKey(target, named);
  switch (profile.auth) {
    case 'none':
    case 'external_process':
      return { kind: 'key', key: noKeyRequired };
    case 'aws':
      return { kind: 'cloud' };
    case 'google': {
      const { GoogleAuthorizer } = await import('../credentials/clouds/google.ts');
      return { kind: 'cloud', authorizer: new GoogleAuthorizer(googleCredentialsFile(named)) };
    }
    case 'oauth_device_code':
    case 'oauth_pkce':
      return await loginAccess(target, sources, key);
    case 'copilot':
      return await copilotAccess(target, sources, key, signal);
    case 'api_key':
    case 'optional_api_key':
      return await keyAccess(target, sources, key);
  }
}

/**
 * Keys of the environment that may go to a host, best first. A bound key goes to its own domains only, whatever a
 * configuration calls the endpoint; other keys of a provider go to its domains where it names some, else wherever its
 * base URL leads.
 */
export function keysFor(profile: ProviderAccess, hostname: string, variables: Variables): readonly KeySeed[] {
  const serves = (domains: readonly string[] = []) => domains.some((domain) => hostMatches(hostname, domain));
  const special = namedKeys(
    profile.keysByHost?.filter(({ domain }) => serves([domain])).map((key) => key.variable) ?? [],
    variables,
  );
  if (special.length > 0) return special;
  const bound = providerCatalogue.filter(({ boundKeys }) => boundKeys === true);
  const here = bound.filter(({ keyDomains }) => serves(keyDomains)).flatMap(({ keyVariables }) => keyVariables);
  const elsewhere = new Set(
    bound.filter(({ keyDomains }) => !serves(keyDomains)).flatMap((known) => known.keyVariables),
  );
  const own =
    profile.keyDomains === undefined || serves(profile.keyDomains) ? ownKeysAt(profile, hostname, variables) : [];
  const names = new Set([...here, ...own.filter((name) => !elsewhere.has(name))]);
  return namedKeys([...names], variables);
}

/** A host that is a known provider's, or a vendor's with a key of its own, gets that key, whatever a configuration calls the endpoint. */
function ownKeysAt(profile: ProviderAccess, hostname: string, variables: Variables): readonly string[] {
  if (profile !== custom) return profile.keyVariables;
  const known = providerCatalogue.filter(({ auth, keyDomains }) => auth === 'api_key' && keyDomains === undefined);
  const ofProvider = known
    .filter(({ baseUrl }) => URL.parse(baseUrl)?.hostname === hostname)
    .flatMap(({ keyVariables }) => keyVariables);
  const ofVendor = ofProvider.length > 0 ? [] : vendorKey(hostname, variables);
  const found = [...ofProvider, ...ofVendor];
  return found.length === 0 ? profile.keyVariables : ['CUSTOM_API_KEY', ...found];
}

/**
 * `api.groq.com` is Groq's, whose key is in `GROQ_API_KEY`; `groq.evil.test` is not. The key of a known provider stays with
 * its domain: `anthropic.test` may be anybody's. None when that is not set.
 */
function vendorKey(hostname: string, variables: Variables): readonly string[] {
  const [top = '', vendor = '', ...below] = hostname.split('.').reverse();
  if (vendor === '' || /\d/.test(top) || (below.length === 0 && /^(?:api|www)$/.test(vendor))) return [];
  const name = `${vendor.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_API_KEY`;
  const owners = providerCatalogue.filter(({ keyVariables }) => keyVariables.includes(name));
  const isTheirs = owners.length === 0 || owners.some(({ baseUrl }) => hostMatches(hostname, domainOf(baseUrl)));
  return isTheirs && /^[A-Z]/.test(name) && namedKeys([name], variables).length > 0 ? [name] : [];
}

function domainOf(baseUrl: string): string {
  return (URL.parse(baseUrl)?.hostname ?? '').split('.').slice(-2).join('.');
}

/** The keys of a saved endpoint, which go to nobody else. */
export function savedKeys({ name, api_key: key, key_env: variable }: CustomProvider, variables: Variables) {
  return [...seedOf(`config:${name}`, key), ...namedKeys([filled(variable)], variables)];
}

/** The key that was named for this endpoint itself, by a flag or the configuration. */
function endpointKey({ chosen, request, own }: Target, variables: Variables): KeySeed | undefined {
  const { saved } = chosen;
  const [key] = [
    ...seedOf('flag', request.apiKey),
    ...namedKeys([filled(request.keyEnv)], variables),
    ...(saved === undefined ? [] : savedKeys(saved, variables)),
    ...seedOf('config:model', own.api_key),
    ...namedKeys([filled(own.key_env)], variables),
  ];
  return key;
}

async function keyAccess(target: Target, sources: RouteSources, key: KeySeed | undefined): Promise<Access> {
  const { chosen, own, address } = target;
  const { variables, services } = sources;
  const seeds = key === undefined ? keysFor(chosen.profile, address.hostname, variables.named) : [key];
  // A key for this run only is used alone; so is one that stands in the configuration of a built-in provider.
  const pooled = key === undefined || chosen.saved !== undefined;
  const pool = pooled && storedKeysMayGo(target) ? await services?.poolFor?.(chosen.id, seeds) : undefined;
  if (pool !== undefined) return { kind: 'pool', pool };
  const [first] = seeds;
  if (first !== undefined) return { kind: 'key', key: first.secret };
  if (chosen.profile.auth !== 'api_key' || !address.ownHost) return { kind: 'key', key: noKeyRequired };
  const variable = filled(own.key_env) ?? keyVariable(chosen.profile) ?? '';
  throw new UserError(`No API key for ${chosen.id}: ${variable} is not set.`, {
    hint: chosen.profile.keyHint ?? `Set it with \`hermes config set ${variable} <key>\`, or run \`hermes setup\`.`,
  });
}

/**
 * Stored keys go where those of the environment go: wherever the base URL of their provider leads, unless they belong
 * to its domains. Bare `custom` is no one endpoint, so keys stored under that name go nowhere.
 */
function storedKeysMayGo({ chosen: { profile, saved }, address }: Target): boolean {
  if (address.ownHost || saved !== undefined) return true;
  return profile.keyDomains === undefined && profile.id !== custom.id;
}

async function loginAccess(
  { chosen, address }: Target,
  { services, variables }: RouteSources,
  key: KeySeed | undefined,
): Promise<Access> {
  if (key !== undefined) return { kind: 'key', key: key.secret };
  const seeds = address.ownHost ? keysFor(chosen.profile, address.hostname, variables.named) : [];
  const pool = await services?.poolFor?.(chosen.id, seeds);
  if (pool !== undefined) return { kind: 'pool', pool };
  const [first] = seeds;
  if (first !== undefined) return { kind: 'key', key: first.secret };
  throw new UserError(`Not logged in to ${chosen.profile.name ?? chosen.id}.`, {
    hint: `Log in with \`hermes auth add ${chosen.id}\`.`,
  });
}

async function copilotAccess(
  target: Target,
  { variables, services }: RouteSources,
  key: KeySeed | undefined,
  signal: AbortSignal | undefined,
): Promise<Access> {
  const { chosen, address } = target;
  const { profile } = chosen;
  const found = key === undefined ? keysFor(profile, address.hostname, variables.named) : [key];
  const keys = found.filter(({ secret }) => isAccepted(secret, profile));
  const pool = key === undefined ? await services?.poolFor?.(chosen.id, keys) : undefined;
  if (pool !== undefined) return { kind: 'pool', pool };
  const [first] = keys;
  if (first !== undefined) return { kind: 'key', key: first.secret };
  const foreign = address.ownHost ? usableSecret(await services?.foreignToken?.(chosen.id, signal)) : undefined;
  if (foreign !== undefined && isAccepted(foreign, profile)) return { kind: 'key', key: foreign };
  const classic = found.length > 0 || foreign !== undefined;
  throw new UserError(
    classic
      ? 'GitHub Copilot does not accept classic personal tokens (ghp_…).'
      : 'No GitHub token for Copilot: COPILOT_GITHUB_TOKEN is not set.',
    {
      hint: 'Set COPILOT_GITHUB_TOKEN to a fine-grained token (github_pat_…) with the "Copilot Requests" permission, or log in with `gh auth login`.',
    },
  );
}

/** Copilot refuses classic personal tokens; they are passed over if there is another one. */
export function isAccepted(secret: string, { auth }: Pick<ProviderAccess, 'auth'>): boolean {
  return auth !== 'copilot' || !secret.startsWith('ghp_');
}
