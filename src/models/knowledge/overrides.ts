/** What we know better than the shipped catalogue: models that are newer than it, and limits of a single provider. */
import { baseName } from './find-model.ts';
import type { PartialFacts } from './models-dev.ts';

const sees = { vision: true, reasoning: true, toolCalls: true } as const;

/** Anthropic bills what is read from the cache at a tenth of the input price, what is written for 5 minutes at 5/4. */
function claude(contextLength: number, maxOutput: number, input: number, output: number): PartialFacts {
  return {
    contextLength,
    maxOutput,
    price: { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 },
    ...sees,
  };
}

/** Cached input costs a tenth with OpenAI and Google, writing to the cache nothing extra. */
function cached(contextLength: number, maxOutput: number, input: number, output: number): PartialFacts {
  return { contextLength, maxOutput, price: { input, output, cacheRead: input / 10 }, ...sees };
}

/** By base name. Sources: the vendors' model and price pages. */
const newer: ReadonlyMap<string, PartialFacts> = new Map([
  ['claude-opus-4.6', claude(1_000_000, 128_000, 5, 25)],
  ['claude-sonnet-4.6', claude(1_000_000, 64_000, 3, 15)],
  ['claude-opus-4.5', claude(200_000, 64_000, 5, 25)],
  ['claude-sonnet-4.5', claude(200_000, 64_000, 3, 15)],
  ['claude-haiku-4.5', claude(200_000, 64_000, 1, 5)],
  ['gpt-5.1', cached(400_000, 128_000, 1.25, 10)],
  ['gpt-5.1-codex', cached(400_000, 128_000, 1.25, 10)],
  ['gpt-5-codex', cached(400_000, 128_000, 1.25, 10)],
  ['gpt-5.2', cached(400_000, 128_000, 1.75, 14)],
  ['gpt-5.2-codex', cached(400_000, 128_000, 1.75, 14)],
  ['gpt-5.3-codex', cached(400_000, 128_000, 1.75, 14)],
  ['gpt-5.4', cached(1_050_000, 128_000, 2.5, 15)],
  ['gpt-5.4-mini', cached(400_000, 128_000, 0.75, 4.5)],
  ['gemini-3-flash', cached(1_048_576, 65_536, 0.5, 3)],
  ['gemini-3-pro', gemini3Pro()],
  ['gemini-3.1-pro', gemini3Pro()],
  ['gemini-3.1-flash-lite', cached(1_048_576, 65_536, 0.25, 1.5)],
]);

const grokFast = { ...cached(2_000_000, 30_000, 0.2, 0.5), price: { input: 0.2, output: 0.5, cacheRead: 0.05 } };
const deepseek = { contextLength: 128_000, price: { input: 0.28, output: 0.42, cacheRead: 0.028 }, toolCalls: true };
const glm = { price: { input: 0.6, output: 2.2, cacheRead: 0.11 }, vision: false, reasoning: true, toolCalls: true };

/** Models that others serve at other prices, with their makers only. Keys: `list/base name`. */
const ofMaker: ReadonlyMap<string, PartialFacts> = new Map<string, PartialFacts>([
  ['xai/grok-4-fast', grokFast],
  ['xai/grok-4.1-fast', grokFast],
  ['xai/grok-code-fast-1', { ...cached(256_000, 10_000, 0.2, 1.5), vision: false }],
  ['deepseek/deepseek-chat', deepseek],
  ['deepseek/deepseek-reasoner', deepseek],
  ['zai/glm-4.6', glm],
  ['zai/glm-4.7', glm],
]);

/** Limits that a provider sets itself, whatever is said of the model elsewhere. */
const ofProvider: readonly (readonly [provider: string, models: RegExp, PartialFacts])[] = [
  ['openai-codex', /^gpt-5/, { contextLength: 272_000 }],
];

/** Providers that cut the windows of other makers' models down to what they list themselves, or else to this. Tokens. */
const cutWindows: ReadonlyMap<string, number> = new Map([
  ['copilot', 128_000],
  ['copilot-acp', 128_000],
]);

/** Limits of this provider alone; they beat every list. */
export function providerLimits(provider: string, model: string): PartialFacts | undefined {
  const name = baseName(model);
  return ofProvider.find(([id, models]) => id === provider && models.test(name))?.[2];
}

/** Models that the shipped catalogue may not have or has wrong. `lists` are the provider's in models.dev. */
export function newerFacts(provider: string, lists: readonly string[], model: string): PartialFacts | undefined {
  const name = baseName(model);
  const known = lists.flatMap((list) => ofMaker.get(`${list}/${name}`) ?? [])[0] ?? newer.get(name);
  const max = cutWindows.get(provider);
  if (known?.contextLength === undefined || max === undefined) return known;
  const { maxOutput: _maxOutput, ...rest } = known;
  return { ...rest, contextLength: Math.min(known.contextLength, max) };
}

/** Prompts of more than 200,000 tokens cost more. */
function gemini3Pro(): PartialFacts {
  const facts = cached(1_048_576, 65_536, 2, 12);
  const longPrompt = { aboveTokens: 200_000, input: 4, output: 18, cacheRead: 0.4 };
  return { ...facts, price: { input: 2, output: 12, cacheRead: 0.2, longPrompt } };
}
