/** The credentials that a home has for each provider: stored in `auth.json`, or found in the environment. */
import { join } from 'node:path';
import { type AuthStore, FileAuthStore } from '../../credentials/auth-store.ts';
import type { CredentialPool } from '../../credentials/credential.ts';
import { loginSeeds } from '../../credentials/open-pool.ts';
import { type Member, membersOf, type PoolSeed } from '../../credentials/pool-members.ts';
import { UserError } from '../../lib/errors.ts';
import { isAccepted, keysFor, savedKeys } from '../../providers/access.ts';
import {
  allProfiles,
  type ChosenProvider,
  configuredProvider,
  lookUpProvider,
  type RouteRequest,
} from '../../providers/choose-provider.ts';
import type { ModelSettings } from '../../providers/model-settings.ts';
import { type OpenEndpoint, openEndpoint } from '../../providers/resolve.ts';
import type { RouteSources } from '../../providers/route-services.ts';
import { chooseTarget, withAddress } from '../../providers/target.ts';
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
  /**
   * Where a request for the provider would go and how it gets in, with a login as it is stored. Writes and renews
   * nothing. Throws `UserError` when there is no address, or nothing to get in with. `settings` in place of the home's.
   */
  open(request: RouteRequest, settings?: ModelSettings): Promise<OpenEndpoint>;
  /** Every provider that has any, in the order of menus. */
  ids(): readonly string[];
}

/** Throws `UserError` when `auth.json` is damaged or cannot be read. */
export async function openCredentials(context: CliContext): Promise<Credentials> {
  const settings = await readProviderSettings(context);
  const sources: RouteSources = { settings, variables: (await context.config()).models };
  const store = new FileAuthStore(join(context.home.path, 'auth.json'));
  const file = store.read();
  const stored = () => [...Object.keys(file.credential_pool ?? {}), ...Object.keys(file.providers ?? {})];
  const provider = (id: string) => lookUpProvider(id, settings);
  const withLogins = (id: string, seeds: readonly PoolSeed[]) =>
    membersOf(store.read(), id, [...seeds, ...loginSeeds(store.providerState(id))]);
  const of = (id: string): readonly Member[] => {
    const chosen = provider(id);
    return withLogins(id, chosen === undefined ? [] : seedsOf(chosen, sources));
  };
  return {
    store,
    settings,
    provider,
    of,
    open(request, other = settings) {
      const poolFor = (id: string, seeds: readonly PoolSeed[]) => Promise.resolve(firstOf(withLogins(id, seeds)));
      return openEndpoint(request, { ...sources, settings: other, services: { poolFor } });
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
function seedsOf({ id, profile, saved }: ChosenProvider, sources: RouteSources): readonly PoolSeed[] {
  const { settings, variables } = sources;
  if (saved !== undefined) return savedKeys(saved, variables.named);
  // OpenAI's key also goes to servers of one's own, but only where there is one.
  if (id === 'custom' && configuredProvider(settings) !== id) return [];
  const keys = keysFor(profile, hostOf(id, sources), variables.named);
  return keys.filter(({ secret }) => isAccepted(secret, profile));
}

/** Empty without an address: nothing is sent anywhere then. */
function hostOf(provider: string, sources: RouteSources): string {
  try {
    return withAddress(chooseTarget({ provider }, sources), sources).address.hostname;
  } catch (error) {
    if (error instanceof UserError) return '';
    throw error;
  }
}

/** The first secret, for one question: nothing is renewed, counted or written. Undefined when there is none. */
function firstOf(members: readonly Member[]): CredentialPool | undefined {
  const member = members.find(({ secret }) => secret !== '');
  if (member === undefined) return undefined;
  const { entry, secret } = member;
  return {
    take: () => Promise.resolve({ id: entry.id, label: entry.label, secret }),
    report: () => Promise.resolve('none'),
  };
}
