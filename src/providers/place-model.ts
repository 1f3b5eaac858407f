/** Finds out which provider a bare name of a model means. */
import { allProfiles, findProfile, type RouteRequest } from './choose-provider.ts';
import { hasKey } from '../credentials/keys.ts';
import type { ModelKnowledge } from '../models/model-facts.ts';
import { openrouter } from './profiles/openrouter.ts';
import type { RouteSources } from './route-services.ts';

export interface PlacingSources extends RouteSources {
  readonly knowledge: Pick<ModelKnowledge, 'models'>;
}

/**
 * Stays on an aggregator, where the name may lack its maker (`claude-opus-4.6`), and on an endpoint of one's own. Else
 * a provider with credentials that is known to serve exactly this model, OpenRouter among them; else the current one,
 * which may know more than we do.
 */
export async function placeModel(model: string, current: string, sources: PlacingSources): Promise<RouteRequest> {
  const { settings, knowledge } = sources;
  const stay: RouteRequest = { provider: current, model };
  const profile = findProfile(current, settings);
  if (profile === undefined || profile.id === 'custom' || profile.apiMode === 'in_process') return stay;
  if (profile.aggregator === true) {
    return { provider: current, model: withMaker(model, await knowledge.models(profile.id)) ?? model };
  }
  if (isIn(await knowledge.models(profile.id), model)) return stay;
  // Whoever makes a model comes before those who pass it on.
  const others = allProfiles(settings).filter(({ id }) => id !== current && hasCredentials(id, sources));
  for (const { id } of [...others].sort((a, b) => Number(a.aggregator === true) - Number(b.aggregator === true))) {
    if (isIn(await knowledge.models(id), model)) return { provider: id, model };
  }
  if (!hasCredentials(openrouter.id, sources)) return stay;
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

/** True when there is a key or a login that was meant for the provider. */
export function hasCredentials(provider: string, { settings, variables }: RouteSources): boolean {
  if (settings.stored?.has(provider) === true) return true;
  const profile = findProfile(provider, settings);
  // GitHub tokens lie about for other ends than Copilot.
  if (profile === undefined || profile.auth === 'copilot') return false;
  return hasKey(profile, variables.named);
}
