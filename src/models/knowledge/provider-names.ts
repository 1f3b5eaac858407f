/** How models.dev calls our providers, and the makers of models as aggregators write them. */

/** The lists of a provider in models.dev, best first; others have the same name there. */
const names: ReadonlyMap<string, readonly string[]> = new Map([
  ['openai-api', ['openai']],
  ['openai-codex', ['openai']],
  ['gemini', ['google']],
  ['vertex', ['google-vertex', 'google-vertex-anthropic', 'google']],
  // The coding plan lists its models at no price, but the usual address bills by the token.
  ['kimi-coding', ['moonshotai', 'kimi-for-coding']],
  ['kimi-coding-cn', ['moonshotai-cn', 'moonshotai']],
  ['minimax-oauth', ['minimax']],
  ['xai-oauth', ['xai']],
  ['alibaba-coding-plan', ['alibaba-coding-plan', 'alibaba']],
  ['qwen-oauth', ['alibaba']],
  ['novita', ['novita-ai']],
  ['copilot', ['github-copilot']],
  ['copilot-acp', ['github-copilot']],
  ['ai-gateway', ['vercel']],
  ['opencode-zen', ['opencode']],
  ['opencode-go', ['opencode-go', 'opencode']],
  ['kilocode', ['kilo']],
  ['bedrock', ['amazon-bedrock']],
  ['azure-foundry', ['azure']],
  ['nous', ['nousresearch', 'openrouter']],
]);

/** They pass on what others serve, named `maker/model`. */
const aggregators: ReadonlySet<string> = new Set([
  'openrouter',
  'nous',
  'ai-gateway',
  'kilocode',
  'huggingface',
  'novita',
  'nvidia',
  'gmi',
  'azure-foundry',
  'opencode-zen',
  'opencode-go',
]);

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

/** Paid by the month: what a request would have cost by the token is not what it costs. */
const plans: ReadonlySet<string> = new Set([
  'openai-codex',
  'copilot',
  'copilot-acp',
  'minimax-oauth',
  'xai-oauth',
  'qwen-oauth',
  'alibaba-coding-plan',
  'opencode-go',
]);

/** These are other people's servers, of which models.dev knows nothing. */
const unlisted: ReadonlySet<string> = new Set(['custom', 'demo', 'moa', 'lmstudio', 'local']);

/** Names of the lists to look a model up in, best first; none for servers that models.dev cannot know. */
export function listsOf(provider: string): readonly string[] {
  if (unlisted.has(provider) || provider.startsWith('custom:')) return [];
  return names.get(provider) ?? [provider];
}

/** True for providers that serve models of many makers under names such as `maker/model`. */
export function isAggregator(provider: string): boolean {
  return aggregators.has(provider);
}

/** Where the maker of a model lists it himself: for `anthropic/claude-x` of an aggregator, undefined for others. */
export function makerOf(
  provider: string,
  model: string,
): { readonly list: string; readonly model: string } | undefined {
  const slash = model.indexOf('/');
  if (slash <= 0 || !aggregators.has(provider)) return undefined;
  const maker = model.slice(0, slash).toLowerCase();
  return { list: makers.get(maker) ?? maker, model: model.slice(slash + 1) };
}

/** True when a provider bills by the month. */
export function isPlan(provider: string): boolean {
  return plans.has(provider);
}
