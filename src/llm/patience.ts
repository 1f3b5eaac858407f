/** How long models are known to think before they say a word. */

/** Seconds, by the beginning of a model's own name; of two that fit, the first. */
const written: readonly (readonly [seconds: number, names: string])[] = [
  [300, 'o3-mini o4-mini qwq-32b nemotron-3-nano grok-4-fast-reasoning grok-4.20-reasoning grok-4.5'],
  [600, `o1 o3 deepseek-r1 deepseek-reasoner deepseek-v4-flash deepseek-v4-pro nemotron-3-ultra nemotron-3-super`],
  [240, 'claude-opus-4'],
  [180, 'qwen3 claude-sonnet-4.5 claude-sonnet-4.6 claude-sonnet-5'],
];
const silences = written.map(
  ([seconds, names]) => [seconds, names.split(/\s+/).flatMap((name) => [name, name.replaceAll('.', '-')])] as const,
);

/** Silence that is no fault, in milliseconds; 0 for models of which nothing is known. */
export function knownSilenceMs(model: string): number {
  const slug = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  const found = silences.find(([, names]) => names.some((name) => begins(slug, name)));
  return (found?.[0] ?? 0) * 1000;
}

/** A name ends at its version or variant: `o3` begins `o3-pro`, not `o30`. */
function begins(slug: string, name: string): boolean {
  return slug.startsWith(name) && !/^[a-z0-9]/.test(slug.slice(name.length));
}
