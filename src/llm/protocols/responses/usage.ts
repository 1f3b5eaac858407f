/**
 * Token counts of the Responses API, in the names of the house.
 * https://platform.openai.com/docs/api-reference/responses/object#responses/object-usage
 */
import type { JsonValue } from '../../../lib/json.ts';
import type { Usage } from '../../protocol.ts';
import { countOf, objectOf } from '../read-json.ts';

/** Undefined when the provider reported nothing, or only zeros. */
export function responsesUsage(value: JsonValue | undefined): Usage | undefined {
  const usage = objectOf(value);
  const prompt = countOf(usage?.['input_tokens']);
  const output = countOf(usage?.['output_tokens']);
  if (prompt === 0 && output === 0) return undefined;
  const details = objectOf(usage?.['input_tokens_details']);
  const cacheRead = countOf(details?.['cached_tokens']);
  const cacheWrite = countOf(details?.['cache_write_tokens']);
  return {
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    reasoning: countOf(objectOf(usage?.['output_tokens_details'])?.['reasoning_tokens']),
  };
}
