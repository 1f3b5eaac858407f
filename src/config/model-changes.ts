/** Makes a model the default without leaving anything of the one before it. */
import type { Change } from './edit.ts';

/** `model.*` for a provider and a model, given what it is now; what belonged to the old ones goes. */
export function modelChanges(
  current: { readonly default?: string | undefined; readonly model?: string | undefined },
  choice: {
    readonly provider: string;
    readonly model: string;
    readonly baseUrl?: string | undefined;
    readonly apiMode?: string | undefined;
    /** The same provider at the same address: its key and wire format stay. */
    readonly sameEndpoint: boolean;
  },
): Change[] {
  const { provider, model, baseUrl, apiMode, sameEndpoint } = choice;
  const changes: Change[] = [
    { path: ['model', 'provider'], value: provider },
    { path: ['model', 'default'], value: model },
    { path: ['model', 'model'], value: undefined },
    { path: ['model', 'base_url'], value: baseUrl },
    { path: ['model', 'api_mode'], value: apiMode },
  ];
  // An old endpoint's key must not be sent to the new one.
  if (!sameEndpoint) changes.push(...without('api_key', 'key_env'));
  if (!sameEndpoint || model !== (current.default || current.model)) {
    changes.push(...without('context_length', 'supports_vision'));
  }
  return changes;
}

function without(...names: readonly string[]): Change[] {
  return names.map((name) => ({ path: ['model', name], value: undefined }));
}
