/** Adds up what the requests of an agent cost in tokens. */
import type { Usage } from '../llm/protocol.ts';
import type { TokenTotals } from './events.ts';

export const noTokens: TokenTotals = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  last_prompt_tokens: 0,
};

/** Tokens of the whole prompt, cached or not. */
export function promptTokens({ input, cacheRead, cacheWrite }: Usage): number {
  return input + cacheRead + cacheWrite;
}

/** The totals with one more request. Which one filled the window last is not for this to say. */
export function addUsage(totals: TokenTotals, usage: Usage): TokenTotals {
  const prompt = promptTokens(usage);
  return {
    input_tokens: totals.input_tokens + usage.input,
    output_tokens: totals.output_tokens + usage.output,
    cache_read_tokens: totals.cache_read_tokens + usage.cacheRead,
    cache_write_tokens: totals.cache_write_tokens + usage.cacheWrite,
    reasoning_tokens: totals.reasoning_tokens + usage.reasoning,
    prompt_tokens: totals.prompt_tokens + prompt,
    completion_tokens: totals.completion_tokens + usage.output,
    total_tokens: totals.total_tokens + prompt + usage.output,
    last_prompt_tokens: totals.last_prompt_tokens,
  };
}
