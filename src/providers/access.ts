/** How a route gets in: one key, a pool of them, or tokens of a cloud. */
import { UserError } from '../lib/errors.ts';
import { type ChosenProvider, filled, type RouteRequest } from './choose-provider.ts';
import type { CredentialPool } from '../credentials/credential.ts';
import { hostMatches, noKeyRequired } from '../llm/endpoint.ts';
import type { Address } from './endpoint-address.ts';
import { type Environment, keysFor, keyVariable, usableKey } from '../credentials/keys.ts';
import type { ModelSettings } from './model-settings.ts';
import type { KeySeed } from '../credentials/keys.ts';
import type { RouteServices } from './route-services.ts';

export type Access =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'pool'; readonly pool: CredentialPool }
  | { readonly kind: 'cloud'; readonly authorize: Authorize | undefined };

type Authorize = (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;

export interface AccessQuestion {
  readonly chosen: ChosenProvider;
  readonly request: RouteRequest;
  readonly own: ModelSettings;
  readonly env: Environment;
  readonly address: Address;
  readonly services: RouteServices;
  readonly signal: AbortSignal | undefined;
}

/**
 * What was asked for or configured for this very endpoint, else what the provider's kind of login gives: stored
 * logins and keys of the environment, as far as they may go to this host. Throws `UserError` when there is nothing.
 */
export async function accessFor(question: AccessQuestion): Promise<Access> {
  const { chosen, own, env } = question;
  const { profile } = chosen;
  const named = namedKey(question);
  if (profile.id === 'azure-foundry' && own.auth_mode === 'entra_id') {
    const { entraAuthorize } = await import('../credentials/clouds/entra.ts');
    return { kind: 'cloud', authorize: entraAuthorize(env, filled(own.entra_scope)) };
  }
  switch (profile.auth) {
    case 'none':
    case 'external_process':
      return { kind: 'key', key: noKeyRequired };
    case 'aws':
      return { kind: 'cloud', authorize: undefined };
    case 'google': {
      const { googleAuthorize } = await import('../credentials/clouds/google.ts');
      return { kind: 'cloud', authorize: googleAuthorize(env) };
    }
    case 'oauth_device_code':
    case 'oauth_pkce':
      return await loginOf(question, named);
    case 'copilot':
      return await copilotAccess(question, named);
    case 'api_key':
    case 'optional_api_key':
      return await keyAccess(question, named);
  }
}

/** Keys named for this endpoint itself, in order. */
function namedKey({ chosen, request, own, env }: AccessQuestion): KeySeed | undefined {
  const { saved } = chosen;
  const variable = (name: string | undefined): KeySeed | undefined => {
    const known = filled(name);
    return known === undefined ? undefined : seed(`env:${known}`, env[known]);
  };
  return (
    seed('flag', request.apiKey) ??
    variable(request.keyEnv) ??
    (saved === undefined ? undefined : (seed(`config:${saved.name}`, saved.api_key) ?? variable(saved.key_env))) ??
    seed('config:model', own.api_key) ??
    variable(own.key_env)
  );
}

function seed(source: string, value: string | undefined): KeySeed | undefined {
  const secret = usableKey(value);
  return secret === undefined ? undefined : { source, secret };
}

async function keyAccess(question: AccessQuestion, named: KeySeed | undefined): Promise<Access> {
  const { chosen, own, env, address, services } = question;
  const { profile } = chosen;
  const seeds = named === undefined ? (azureKeys(question) ?? keysFor(profile, address.hostname, env)) : [named];
  // A key for this run only is used alone; so is one that stands in the configuration of a built-in provider.
  const pooled = named === undefined || chosen.saved !== undefined;
  // The stored keys of a provider are its own host's business.
  const pool =
    pooled && (address.ownHost || chosen.saved !== undefined) ? await services.poolFor?.(chosen.id, seeds) : undefined;
  if (pool !== undefined) return { kind: 'pool', pool };
  const [first] = seeds;
  if (first !== undefined) return { kind: 'key', key: first.secret };
  if (profile.auth !== 'api_key' || !address.ownHost) return { kind: 'key', key: noKeyRequired };
  const variable = filled(own.key_env) ?? keyVariable(profile) ?? '';
  throw new UserError(`No API key for ${chosen.id}: ${variable} is not set.`, {
    hint: `Set it with \`hermes config set ${variable} <key>\`, or run \`hermes setup\`.`,
  });
}

/** Anthropic's models in Azure have a key of their own. */
function azureKeys({ chosen, env, address }: AccessQuestion): readonly KeySeed[] | undefined {
  if (chosen.id !== 'anthropic' || !hostMatches(address.hostname, 'azure.com')) return undefined;
  const key = seed('env:AZURE_ANTHROPIC_KEY', env['AZURE_ANTHROPIC_KEY']);
  return key === undefined ? undefined : [key];
}

async function loginOf({ chosen, services }: AccessQuestion, named: KeySeed | undefined): Promise<Access> {
  if (named !== undefined) return { kind: 'key', key: named.secret };
  const pool = await services.poolFor?.(chosen.id, []);
  if (pool !== undefined) return { kind: 'pool', pool };
  throw new UserError(`Not logged in to ${chosen.profile.name ?? chosen.id}.`, {
    hint: `Log in with \`hermes auth add ${chosen.id}\`.`,
  });
}

/** Classic personal tokens (`ghp_`) are not accepted by Copilot; they are passed over if there is another one. */
async function copilotAccess(question: AccessQuestion, named: KeySeed | undefined): Promise<Access> {
  const { chosen, env, address, services, signal } = question;
  const found = named === undefined ? keysFor(chosen.profile, address.hostname, env) : [named];
  const usable = found.filter(({ secret }) => !secret.startsWith('ghp_'));
  const pool = named === undefined ? await services.poolFor?.(chosen.id, usable) : undefined;
  if (pool !== undefined) return { kind: 'pool', pool };
  const [first] = usable;
  if (first !== undefined) return { kind: 'key', key: first.secret };
  const foreign = address.ownHost ? usableKey(await services.foreignToken?.('copilot', signal)) : undefined;
  if (foreign !== undefined && !foreign.startsWith('ghp_')) return { kind: 'key', key: foreign };
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
