/** Every built-in provider, one line each. To add a provider: one file, one line here. */
import type { ProviderProfile } from '../provider.ts';
import { custom } from './custom.ts';
import { demo } from './demo.ts';
import { openaiApi } from './openai-api.ts';
import { openrouter } from './openrouter.ts';

/** `auto` takes the first whose key is set. */
export const providerCatalogue: readonly ProviderProfile[] = [
  openrouter, //
  openaiApi,
  custom,
  demo,
];

/** The provider with this id or alias; upper and lower case are the same. */
export function findProvider(name: string): ProviderProfile | undefined {
  const wanted = name.trim().toLowerCase();
  return providerCatalogue.find(({ id, aliases }) => id === wanted || aliases.includes(wanted));
}
