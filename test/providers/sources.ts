/** Routes from settings, variables and services, as tests name them. */
import { providerCatalogue } from '../../src/providers/catalogue.ts';
import { modelVariables } from '../../src/config/model-variables.ts';
import type { Variables } from '../../src/config/variables.ts';
import type { ModelRoute } from '../../src/llm/protocol.ts';
import type { ModelSettings } from '../../src/providers/model-settings.ts';
import * as resolve from '../../src/providers/resolve.ts';
import type { RouteServices, RouteSources } from '../../src/providers/route-services.ts';

export function sourcesOf(
  settings: ModelSettings,
  variables: Variables = {},
  services: RouteServices = {},
): RouteSources {
  return { settings, variables: modelVariables(variables), services };
}

export async function resolveRoute(
  request: resolve.RouteRequest,
  settings: ModelSettings,
  variables: Variables,
  services?: RouteServices,
): Promise<ModelRoute> {
  return await resolve.resolveRoute(request, sourcesOf(settings, variables, services));
}

/** A key for every provider that takes one. */
export const allKeys: Readonly<Record<string, string>> = Object.fromEntries(
  providerCatalogue.flatMap(({ keyVariables }) => keyVariables.map((name) => [name, `key-of-${name}`])),
);
