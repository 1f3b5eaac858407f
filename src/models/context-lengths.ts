/** Windows of model families, for models that nobody says more about. */

/** Tokens that a model of LM Studio is loaded with when nobody loaded it yet: some could take a million, and the memory with it. */
export const unloadedWindow = 65_536;

/** The longest name that is part of the model's name wins. Tokens. */
const families: readonly (readonly [string, number])[] = [
  ['claude-opus-4.6', 1_000_000],
  ['claude-sonnet-4.6', 1_000_000],
  ['claude', 200_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-5', 128_000],
  ['gpt-4', 128_000],
  ['gemini', 1_048_576],
  ['deepseek', 128_000],
  ['llama', 131_072],
  ['qwen', 131_072],
  ['minimax', 204_800],
  ['glm', 202_752],
  ['kimi', 262_144],
];

/** Undefined when the family is not known. */
export function familyContextLength(model: string): number | undefined {
  // Versions are written with a dot by some and a hyphen by others.
  const name = model.toLowerCase().replace(/(\d)-(\d)/g, '$1.$2');
  const matches = families.filter(([family]) => name.includes(family));
  return matches.sort(([a], [b]) => b.length - a.length)[0]?.[1];
}
