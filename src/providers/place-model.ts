/** Finds out which provider a bare name of a model means. */
import { allProfiles, findProfile, type RouteRequest } from './choose-provider.ts';
import { type Environment, usableKey } from '../credentials/keys.ts';
import { isAggregator } from '../models/knowledge/provider-names.ts';
import type { ModelKnowledge } from '../models/model-facts.ts';
import type { ModelSettings } from './model-settings.ts';
import { openrouter } from './profiles/openrouter.ts';

export interface ModelPlaces {
  readonly settings: ModelSettings;
  readonly env: Environment;
  readonly knowledge: Pick<ModelKnowledge, 'models'>;
}

/**
 * Stays on an aggregator, where the name may lack its maker (`claude-opus-4.6`), and on an endpoint of one's own. Else
 * a provider with credentials that is known to serve exactly this model, OpenRouter among them; else the current one,
 * which may know more than we do.
 */
export async function placeModel(model: string, current: string, places: ModelPlaces): Promise<RouteRequest> {
  const { settings, knowledge } = places;
  const stay: RouteRequest = { provider: current, model };
  const profile = findProfile(current, settings);
  if (profile === undefined || profile.id === 'custom' || profile.apiMode === 'in_process') return stay;
  if (isAggregator(profile.id)) {
    return { provider: current, model: withMaker(model, await knowledge.models(profile.id)) ?? model };
  }
  if (isIn(await knowledge.models(profile.id), model)) return stay;
  // Whoever makes a model comes before those who pass it on.
  const others = allProfiles(settings).filter(({ id }) => id !== current && hasCredentials(id, places));
  for (const { id } of [...others].sort((a, b) => Number(isAggregator(a.id)) - Number(isAggregator(b.id)))) {
    if (isIn(await knowledge.models(id), model)) return { provider: id, model };
  }
  if (!hasCredentials(openrouter.id, places)) return stay;
  const slug = withMaker(model, await knowledge.models(openrouter.id));
  return slug === undefined ? stay : { provider: openrouter.id, model: slug };
}

/** The listed id that this is, or is without its maker; a tag such as `:free` is not looked at. */
function withMaker(model: string, listed: readonly string[]): string | undefined {
  const wanted = model.toLowerCase();
  const [name = '', ...tag] = wanted.split(':');
  const exact = listed.find((id) => id.toLowerCase() === wanted);
  if (exact !== undefined) return exact;
  const found = listed.find((id) => id.toLowerCase() === name || id.toLowerCase().endsWith(`/${name}`));
  return found === undefined ? undefined : [found, ...tag].join(':');
}

function isIn(listed: readonly string[], model: string): boolean {
  return listed.some((id) => id.toLowerCase() === model.toLowerCase());
}

function hasCredentials(provider: string, { settings, env }: ModelPlaces): boolean {
  if (settings.stored?.has(provider) === true) return true;
  const profile = findProfile(provider, settings);
  // GitHub tokens lie about for other ends than Copilot.
  if (profile === undefined || profile.auth === 'copilot') return false;
  return profile.keyVariables.some((name) => usableKey(env[name]) !== undefined);
}
