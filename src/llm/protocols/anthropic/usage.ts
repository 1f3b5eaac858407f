/**
 * Token counts of Anthropic's format, in the names of the house.
 * https://docs.claude.com/en/docs/build-with-claude/prompt-caching#tracking-cache-performance
 */
import type { JsonObject } from '../../../lib/json.ts';
import type { Usage } from '../../protocol.ts';
import { countOf, objectOf } from '../read-json.ts';

/** Undefined when nothing was reported, or only zeros. Anthropic's `input_tokens` leaves cached tokens out already. */
export function anthropicUsage(usage: JsonObject): Usage | undefined {
  const counts = {
    input: countOf(usage['input_tokens']),
    output: countOf(usage['output_tokens']),
    cacheRead: countOf(usage['cache_read_input_tokens']),
    cacheWrite: countOf(usage['cache_creation_input_tokens']),
  };
  if (Object.values(counts).every((count) => count === 0)) return undefined;
  return { ...counts, reasoning: countOf(objectOf(usage['output_tokens_details'])?.['thinking_tokens']) };
}
