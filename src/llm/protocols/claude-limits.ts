/**
 * The most that each Claude model can write in one answer, in tokens.
 * https://docs.claude.com/en/docs/about-claude/models/overview
 */

/** Most specific first. Source: Anthropic's model overview. */
const caps: readonly (readonly [RegExp, number])[] = [
  [/claude-(?:sonnet-4[.-][56]|opus-4[.-]5|haiku-4[.-]5)(?!\d)/, 64_000],
  [/claude-(?:sonnet|opus|haiku)-4[.-][5-9](?!\d)/, 128_000],
  [/claude-sonnet-4/, 64_000],
  [/claude-opus-4/, 32_000],
  [/claude-3[.-]7-sonnet/, 128_000],
  [/claude-3[.-]5/, 8192],
  [/claude-3/, 4096],
];

/** Undefined for models that are no Claude; 128,000 for a Claude that is not listed. */
export function claudeOutputCap(model: string): number | undefined {
  const name = model.toLowerCase();
  if (!name.includes('claude')) return undefined;
  return caps.find(([pattern]) => pattern.test(name))?.[1] ?? 128_000;
}
