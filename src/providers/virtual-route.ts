/** Routes to models without an address: in this process, on this disk, or made of others. */
import { UserError } from '../lib/errors.ts';
import type { ModelRoute } from '../llm/protocol.ts';
import type { VirtualModel } from '../models/virtual-model.ts';
import { filled } from '../config/env-values.ts';
import type { AddressRequest } from './endpoint-address.ts';
import type { RouteSources } from './route-services.ts';

/** Throws `UserError` when this program cannot run it. */
export async function virtualRoute(
  { chosen: { profile }, request, own }: AddressRequest,
  { services }: RouteSources,
): Promise<ModelRoute> {
  const model = filled(request.model) ?? filled(own.default) ?? filled(own.model) ?? profile.defaultModel ?? '';
  const protocol: VirtualModel | undefined =
    (await profile.inProcess?.()) ?? (await services?.openVirtual?.(profile.id, model, own.context_length));
  if (protocol === undefined) {
    throw new UserError(`Provider '${profile.id}' cannot be used here.`, {
      hint: 'Choose another one with `hermes model`.',
    });
  }
  const contextLength = own.context_length ?? profile.contextLengths?.[model] ?? protocol.contextLength;
  return {
    provider: profile.id,
    model,
    baseUrl: '',
    apiMode: 'in_process',
    protocol,
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(protocol.vision === undefined ? {} : { vision: protocol.vision }),
    ...(own.max_tokens === undefined ? {} : { maxTokens: own.max_tokens }),
    streaming: true,
  };
}
