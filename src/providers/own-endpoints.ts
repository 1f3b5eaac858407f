/** The endpoints of one's own that are configured, for tasks that look for any model that answers. */
import { filled } from '../config/env-values.ts';
import { configuredProvider, type RouteRequest, savedProvider } from './choose-provider.ts';
import { withoutSlash } from './endpoint-address.ts';
import { namedText } from '../credentials/keys.ts';
import { custom } from './profiles/custom.ts';
import type { RouteSources } from './route-services.ts';

/**
 * `model.base_url` when it is nobody else's, `CUSTOM_BASE_URL`, and `custom_providers`, each address once. Every request
 * names its endpoint, so that the key of one never goes to another. `OPENAI_BASE_URL` is not among them: it belongs to
 * `openai-api`.
 */
export function ownEndpoints({ settings, variables }: RouteSources): RouteRequest[] {
  const isOwn = configuredProvider(settings) === custom.id;
  const found = [
    ...(isOwn ? [at(settings.base_url, filled(settings.default) ?? filled(settings.model))] : []),
    at(namedText(custom.baseUrlVariable, variables.named)),
    ...(settings.custom_providers ?? []).map(({ name, base_url: url, model }) => {
      // Of two with one name the first is meant.
      const saved = savedProvider(name, settings);
      return saved?.saved?.base_url === url ? at(url, filled(model), saved.id) : undefined;
    }),
  ];
  const seen = new Set<string>();
  return found.flatMap((request) => {
    if (request === undefined || seen.has(request.baseUrl)) return [];
    seen.add(request.baseUrl);
    return [request];
  });
}

function at(
  url: string | undefined,
  model?: string,
  provider: string = custom.id,
): (RouteRequest & { readonly baseUrl: string }) | undefined {
  const baseUrl = filled(url);
  if (baseUrl === undefined) return undefined;
  return { provider, baseUrl: withoutSlash(baseUrl), ...(model === undefined ? {} : { model }) };
}
