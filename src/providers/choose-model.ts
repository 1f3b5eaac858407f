/** Which model of an endpoint is meant. */
import { UserError } from '../lib/errors.ts';
import type { Fetch } from '../lib/fetch-over.ts';
import type { Authorizer } from '../llm/authorizer.ts';
import { isLocalHost } from '../llm/endpoint.ts';
import { filled } from '../config/env-values.ts';
import type { AddressRequest } from './endpoint-address.ts';
import { nameAt } from './maker-names.ts';
import type { RouteSources } from './route-services.ts';
import type { Target } from './target.ts';

/** Explicit, for this process, configured, saved with the endpoint, or the provider's own. */
export function namedModel(asked: AddressRequest, sources: RouteSources): string | undefined {
  const name = writtenModel(asked, sources);
  return name === undefined ? undefined : nameAt(asked.chosen.profile, name);
}

function writtenModel({ chosen, request, own }: AddressRequest, { variables }: RouteSources): string | undefined {
  return (
    filled(request.model) ??
    (request.ownModel === true || request.sideTask === true ? undefined : variables.model) ??
    filled(own.default) ??
    filled(own.model) ??
    filled(chosen.saved?.model) ??
    usualModel(chosen, request)
  );
}

function usualModel({ id, profile }: AddressRequest['chosen'], request: AddressRequest['request']): string | undefined {
  const { defaultModel } = profile;
  if (defaultModel === undefined || request.modelMustBeNamed !== true || profile.inProcess !== undefined) {
    return defaultModel;
  }
  throw new UserError(`--provider ${id} requires --model (or HERMES_INFERENCE_MODEL).`, {
    exitCode: 2,
    hint: `Pass both, for instance --provider ${id} --model ${defaultModel}, or neither for what is configured.`,
  });
}

/** The only one that a local server has. Throws `UserError`, with the names of several. */
export async function onlyModel(
  { chosen, address, request }: Target,
  { authorizer, fetch }: { readonly authorizer?: Authorizer; readonly fetch: Fetch },
  signal: AbortSignal,
): Promise<string> {
  const listed = isLocalHost(address.hostname) ? await ask() : [];
  const [only, ...others] = listed;
  if (only !== undefined && others.length === 0) return only;
  const choice = listed.length === 0 ? '' : ` It offers: ${listed.slice(0, 20).join(', ')}.`;
  throw new UserError(`No model is set for provider '${chosen.id}'.${choice}`, {
    exitCode: request.modelMustBeNamed === true ? 2 : 1,
    hint: 'Name one with --model, or `hermes config set model.default <model>`.',
  });

  async function ask(): Promise<readonly string[]> {
    const { listModels } = await import('./local-models.ts');
    const headers = { ...chosen.profile.headers, ...(await authorizer?.headers(signal)) };
    return (await listModels(address.baseUrl, headers, fetch, signal)) ?? [];
  }
}
