/** How models.dev calls our providers, and the makers of models as aggregators write them. */
import type { ProviderProfile } from '../../llm/provider.ts';

/** What the knowledge of models has to know of a provider; undefined for one without a profile. */
export type ProviderTraits = Pick<ProviderProfile, 'modelsDev' | 'aggregator' | 'billing'> | undefined;

const makers: ReadonlyMap<string, string> = new Map([
  ['x-ai', 'xai'],
  ['z-ai', 'zai'],
  ['zai-org', 'zai'],
  ['qwen', 'alibaba'],
  ['mistralai', 'mistral'],
  ['meta-llama', 'llama'],
  ['deepseek-ai', 'deepseek'],
  ['minimaxai', 'minimax'],
]);

/** Names of the lists to look a model up in, best first; none for servers that models.dev cannot know. */
export function listsOf(provider: string, traits: ProviderTraits): readonly string[] {
  return provider.startsWith('custom:') ? [] : (traits?.modelsDev ?? [provider]);
}

/** Where the maker of a model lists it himself: for `anthropic/claude-x` of an aggregator, undefined for others. */
export function makerOf(
  model: string,
  traits: ProviderTraits,
): { readonly list: string; readonly model: string } | undefined {
  const slash = model.indexOf('/');
  if (slash <= 0 || traits?.aggregator !== true) return undefined;
  const maker = model.slice(0, slash).toLowerCase();
  return { list: makers.get(maker) ?? maker, model: model.slice(slash + 1) };
}
