/** Models that a session can be moved to: of every provider with credentials, and of the user's own endpoints. */
import { UserError } from '../lib/errors.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { ModelFacts } from '../models/model-facts.ts';
import { allProfiles, type ChosenProvider, lookUpProvider } from '../providers/choose-provider.ts';
import { hasCredentials } from '../providers/place-model.ts';
import { openEndpoint } from '../providers/resolve.ts';
import type { ModelAccess } from './model-access.ts';
import type { OfferedModel } from './session.ts';

const listMs = 8000;

/** What is known of without asking anybody, the provider in use first, the mixtures that are configured last. */
export async function knownModels(
  models: ModelAccess,
  route: ModelRoute,
  mixtures: readonly string[],
): Promise<readonly OfferedModel[]> {
  const providers = offeringProviders(models, route);
  const known = (await Promise.all(providers.map((provider) => knownOf(provider, models, route)))).flat();
  const others = mixtures.filter((model) => route.provider !== 'moa' || route.model !== model);
  return [...known, ...others.map((model) => ({ provider: 'moa', model }))];
}

/** Asks all providers at once for their lists; `add` hears what each has beyond the known. Never rejects. */
export async function listedModels(
  models: ModelAccess,
  route: ModelRoute,
  add: (offered: readonly OfferedModel[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(listMs)]);
  await Promise.all(
    offeringProviders(models, route).map(async (provider) => {
      const known = new Set((await knownOf(provider, models, route)).map(({ model }) => model));
      const listed = (await listOf(provider, models, limit)) ?? [];
      const offered = await described(
        provider,
        listed.filter((id) => !known.has(id)),
        models,
      );
      if (!limit.aborted && offered.length > 0) add(offered);
    }),
  );
}

function offeringProviders({ settings, sources }: ModelAccess, route: ModelRoute): readonly ChosenProvider[] {
  const profiles = allProfiles(settings)
    .filter(
      (profile) => profile.id !== 'custom' && profile.inProcess === undefined && hasCredentials(profile.id, sources),
    )
    .map((profile): ChosenProvider => ({ id: profile.id, profile }));
  const saved = (settings.custom_providers ?? [])
    .filter(({ name }) => name.trim() !== '')
    .flatMap(({ name }) => lookUpProvider(`custom:${name}`, settings) ?? []);
  const current = lookUpProvider(route.provider, settings);
  const all = [...(current === undefined ? [] : [current]), ...profiles, ...saved];
  return all.filter(({ id }, at) => all.findIndex((other) => other.id === id) === at);
}

async function knownOf(provider: ChosenProvider, models: ModelAccess, route: ModelRoute): Promise<OfferedModel[]> {
  const { profile, saved } = provider;
  const own = provider.id === route.provider ? [route.model] : [];
  const ofSaved = saved === undefined ? [] : [saved.model ?? '', ...Object.keys(saved.models ?? {})];
  const ofProvider =
    profile.id === 'custom' ? ofSaved : [...(profile.models ?? []), ...(await models.knowledge.models(profile.id))];
  const ids = [...new Set([...own, ...ofProvider])].filter((id) => id !== '');
  return await described(provider, ids, models);
}

async function described(
  { id: provider, profile, saved }: ChosenProvider,
  ids: readonly string[],
  { knowledge }: ModelAccess,
): Promise<OfferedModel[]> {
  return await Promise.all(
    ids.map(async (model) => {
      const facts: Partial<ModelFacts> = (await knowledge.facts(profile.id, model)) ?? {};
      const contextLength = saved?.models?.[model]?.context_length ?? saved?.context_length ?? facts.contextLength;
      return {
        provider,
        model,
        ...(contextLength === undefined ? {} : { contextLength }),
        ...(facts.price === undefined ? {} : { price: facts.price }),
      };
    }),
  );
}

async function listOf({ id }: ChosenProvider, models: ModelAccess, signal: AbortSignal) {
  try {
    const { profile, apiMode, ...endpoint } = await openEndpoint({ provider: id }, models.sources, signal);
    if (profile.inProcess !== undefined) return undefined;
    const { listProviderModels } = await import('../models/knowledge/list-models.ts');
    const listing = apiMode === 'anthropic_messages' ? { ...profile, apiMode } : profile;
    return await listProviderModels({ ...endpoint, profile: listing, signal, log: models.sources.services?.log });
  } catch (error) {
    // Without an address or a key there is nobody to ask.
    if (!(error instanceof UserError))
      models.sources.services?.log?.warning(`${id} was not asked for its models`, error);
    return undefined;
  }
}
