/**
 * Token counts of the chat-completions format, in the names of the house.
 * https://platform.openai.com/docs/api-reference/chat/object#chat-object-usage
 */
import type { JsonValue } from '../../lib/json.ts';
import type { Usage } from '../protocol.ts';
import { countOf, objectOf } from './read-json.ts';

/** Undefined when the provider reported nothing, or only zeros. */
export function chatUsage(value: JsonValue | undefined): Usage | undefined {
  const usage = objectOf(value);
  if (usage === undefined) return undefined;
  const prompt = countOf(usage['prompt_tokens']);
  const output = countOf(usage['completion_tokens']);
  if (prompt === 0 && output === 0) return undefined;
  const promptDetails = objectOf(usage['prompt_tokens_details']);
  // DeepSeek and Moonshot report cache hits at the top level.
  const cacheRead =
    countOf(promptDetails?.['cached_tokens']) ||
    countOf(usage['prompt_cache_hit_tokens']) ||
    countOf(usage['cached_tokens']);
  const cacheWrite =
    countOf(promptDetails?.['cache_write_tokens']) || countOf(promptDetails?.['cache_creation_tokens']);
  return {
    input: Math.max(0, prompt - cacheRead - cacheWrite),
    output,
    cacheRead,
    cacheWrite,
    reasoning: countOf(objectOf(usage['completion_tokens_details'])?.['reasoning_tokens']),
    ...billed(usage['cost']),
  };
}

/** OpenRouter says what it billed, in US dollars. */
function billed(cost: JsonValue | undefined): Pick<Usage, 'costUsd'> {
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0 ? { costUsd: cost } : {};
}
