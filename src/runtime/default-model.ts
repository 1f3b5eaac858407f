/** Makes the model in use the one that later sessions begin with. */
import type { Change } from '../config/edit.ts';
import { loadConfig } from '../config/load.ts';
import { modelVariables } from '../config/model-variables.ts';
import { modelChanges } from '../config/model-changes.ts';
import { filled } from '../config/env-values.ts';
import { chooseProvider } from '../providers/choose-provider.ts';
import { withoutSlash } from '../providers/endpoint-address.ts';
import type { ModelSettings } from '../providers/model-settings.ts';
import type { RouteSources } from '../providers/route-services.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import { modelSettings } from './model-settings.ts';
import type { ProgramOptions } from './program-options.ts';

/** Keys of config.yaml, as it is on disk now: another process may have changed it since the start. */
export async function defaultModelChanges(
  { home, env }: Pick<ProgramOptions, 'home' | 'env'>,
  route: Pick<ModelRoute, 'provider' | 'model' | 'baseUrl'>,
  known: Pick<ModelSettings, 'profiles' | 'stored'>,
): Promise<readonly Change[]> {
  const { config } = await loadConfig({ home, env });
  const settings = modelSettings(config, known.profiles, known.stored);
  const { provider, model } = route;
  const sameEndpoint = leadsTo(route, { settings, variables: modelVariables(env) });
  const baseUrl = provider === 'custom' ? route.baseUrl : undefined;
  return modelChanges(settings, {
    provider,
    model,
    baseUrl: sameEndpoint ? (filled(settings.base_url) ?? baseUrl) : baseUrl,
    apiMode: sameEndpoint ? filled(settings.api_mode) : undefined,
    sameEndpoint,
  });
}

/** True when the settings lead to the provider and the address of the route already. */
function leadsTo({ provider, baseUrl }: Pick<ModelRoute, 'provider' | 'baseUrl'>, sources: RouteSources): boolean {
  const address = filled(sources.settings.base_url);
  if (address !== undefined && withoutSlash(address) !== withoutSlash(baseUrl)) return false;
  try {
    return chooseProvider({}, sources).id === provider;
  } catch {
    // What is configured leads nowhere.
    return false;
  }
}
