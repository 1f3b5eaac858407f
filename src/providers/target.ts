/** Whom a request goes to, before anything is asked of anybody: provider, settings that are about it, address. */
import { filled } from '../config/env-values.ts';
import { type ChosenProvider, chooseProvider, configuredProvider, type RouteRequest } from './choose-provider.ts';
import { type Address, type AddressRequest, addressOf, withoutSlash } from './endpoint-address.ts';
import type { ModelSettings } from './model-settings.ts';
import { findAlias } from './model-spec.ts';
import type { RouteSources } from './route-services.ts';

export interface Target extends AddressRequest {
  readonly address: Address;
}

/** Provider and settings of a request, whether it has an address or not. Throws like `chooseProvider`. */
export function chooseTarget(request: RouteRequest, sources: RouteSources): AddressRequest {
  const asked = withAlias(request, sources.settings);
  const chosen = chooseProvider(asked, sources);
  return { chosen, request: asked, own: settingsFor(chosen, asked, sources.settings) };
}

/** Throws `UserError` when there is no address. */
export function withAddress(target: AddressRequest, sources: RouteSources): Target {
  return { ...target, address: addressOf(target, sources) };
}

/** An alias may stand where a model's name is expected, unless a provider was named with it. */
function withAlias(request: RouteRequest, settings: ModelSettings): RouteRequest {
  const model = filled(request.model);
  if (model === undefined || filled(request.provider) !== undefined) return request;
  return { ...request, ...findAlias(model, settings) };
}

/**
 * `model.*` of the configuration as far as it is about the chosen provider and endpoint. Where the configuration names
 * no provider, its model and limits hold for any, its key only for the one that it leads to by itself.
 */
function settingsFor(chosen: ChosenProvider, request: RouteRequest, settings: ModelSettings): ModelSettings {
  const configured = configuredProvider(settings);
  if (configured === 'none') {
    if (filled(request.provider) === undefined && filled(request.baseUrl) === undefined) return settings;
    const { api_key: _key, key_env: _variable, ...rest } = settings;
    return rest;
  }
  const baseUrl = filled(request.baseUrl);
  const sameEndpoint = baseUrl === undefined || withoutSlash(baseUrl) === withoutSlash(settings.base_url ?? '');
  return configured === chosen.id && sameEndpoint ? settings : {};
}
