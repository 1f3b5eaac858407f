/** The most that a model behind Anthropic's format can write in one answer, in tokens: the format wants a limit. */
import { claudeOutputCap } from '../claude-limits.ts';

/** Makers that serve this format themselves and refuse a higher limit. */
const others: readonly (readonly [RegExp, number])[] = [
  [/minimax/, 131_072],
  // DashScope refuses more.
  [/qwen3/, 65_536],
];
/** For models of which nothing is known. */
const unknown = 128_000;

export function outputCap(model: string): number {
  const name = model.toLowerCase();
  return claudeOutputCap(name) ?? others.find(([pattern]) => pattern.test(name))?.[1] ?? unknown;
}
