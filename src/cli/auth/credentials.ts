/** The credentials that a home has for each provider: stored in `auth.json`, or found in the environment. */
import { join } from 'node:path';
import { type Address, addressOf } from '../../providers/endpoint-address.ts';
import {
  allProfiles,
  type ChosenProvider,
  configuredProvider,
  lookUpProvider,
} from '../../providers/choose-provider.ts';
import { type AuthStore, createAuthStore } from '../../credentials/auth-store.ts';
import { loginSeeds } from '../../credentials/open-pool.ts';
import { type Member, membersOf, type PoolSeed } from '../../credentials/pool-members.ts';
import { type Environment, keysFor, usableKey } from '../../credentials/keys.ts';
import type { ModelSettings } from '../../providers/model-settings.ts';
import type { CliContext } from '../command.ts';
import { readProviderSettings, savedProviders, unknownProvider } from '../model/provider-settings.ts';

export interface Credentials {
  readonly store: AuthStore;
  readonly settings: ModelSettings;
  /** The id of the provider that is meant by a name. Throws `UserError` with exit code 2. */
  idOf(name: string): string;
  /** What is known here of a provider; undefined for one that only `auth.json` speaks of. */
  provider(id: string): ChosenProvider | undefined;
  /** In the order of their numbers, resting and ended ones too. They hold secrets. Writes nothing. */
  of(id: string): readonly Member[];
  /** The secret that may be sent to the provider's address as it is configured now. */
  keyFor(chosen: ChosenProvider): string | undefined;
  /** Every provider that has any, in the order of menus. */
  ids(): readonly string[];
}

/** Throws `UserError` when `auth.json` is damaged or cannot be read. */
export async function openCredentials(context: CliContext): Promise<Credentials> {
  const { env, home } = context;
  const settings = await readProviderSettings(context);
  const store = createAuthStore(join(home.path, 'auth.json'));
  const file = store.read();
  const stored = () => [...Object.keys(file.credential_pool ?? {}), ...Object.keys(file.providers ?? {})];
  const provider = (id: string) => lookUpProvider(id, settings);
  const of = (id: string) => {
    const chosen = provider(id);
    const seeds = chosen === undefined ? [] : seedsOf(chosen, settings, env);
    return membersOf(store.read(), id, [...seeds, ...loginSeeds(store.providerState(id))]);
  };
  return {
    store,
    settings,
    provider,
    of,
    keyFor(chosen) {
      const ownHost = chosen.saved !== undefined || addressIn(chosen, settings, env)?.ownHost === true;
      // Stored ones are for the provider's own host; those of the environment were found for this one.
      const mayGo = (source: string) => ownHost || source.startsWith('env:');
      return of(chosen.id).find(({ entry, secret }) => secret !== '' && mayGo(entry.source))?.secret;
    },
    idOf(name) {
      const known = provider(name)?.id ?? stored().find((id) => id === name);
      if (known === undefined) throw unknownProvider(name, settings, stored());
      return known;
    },
    ids() {
      const known = [...allProfiles(settings).map(({ id }) => id), ...savedProviders(settings).map(({ id }) => id)];
      return [...new Set([...known, ...stored()])].filter((id) => of(id).length > 0);
    },
  };
}

/** Keys of the environment and the configuration that would be sent to the provider's address. */
function seedsOf(chosen: ChosenProvider, settings: ModelSettings, env: Environment): readonly PoolSeed[] {
  const { id, profile, saved } = chosen;
  if (saved !== undefined) {
    const name = saved.key_env ?? '';
    return [...seed(`config:${saved.name}`, saved.api_key), ...seed(`env:${name}`, env[name])];
  }
  // OpenAI's key also goes to servers of one's own, but only where there is one.
  if (id === 'custom' && configuredProvider(settings) !== id) return [];
  // Without an address nothing is sent anywhere.
  const keys = keysFor(profile, addressIn(chosen, settings, env)?.hostname ?? '', env);
  // Classic personal tokens do not work with Copilot.
  return profile.auth === 'copilot' ? keys.filter(({ secret }) => !secret.startsWith('ghp_')) : keys;
}

function addressIn(chosen: ChosenProvider, settings: ModelSettings, env: Environment): Address | undefined {
  try {
    const own = configuredProvider(settings) === chosen.id ? settings : {};
    return addressOf(chosen, { provider: chosen.id }, own, settings, env);
  } catch {
    return undefined;
  }
}

function seed(source: string, value: string | undefined): PoolSeed[] {
  const secret = usableKey(value);
  return secret === undefined ? [] : [{ source, secret }];
}
