/** What the configuration says about every run of an agent. */
import type { RetryLimits } from '../agent/model-call.ts';
import type { TurnLimits } from '../agent/conversation.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ModelRequest, ReasoningEffort } from '../llm/protocol.ts';

export interface RunSettings {
  readonly cacheTtl: ModelRequest['cacheTtl'];
  readonly reasoningEffort: ReasoningEffort | undefined;
  readonly retries: RetryLimits;
  readonly limits: TurnLimits;
}

export function runSettings({ config, process }: LoadedConfig): RunSettings {
  return {
    cacheTtl: config.prompt_caching.cache_ttl,
    reasoningEffort: config.agent.reasoning_effort || 'medium',
    retries: { requests: config.agent.api_max_retries, streams: process.requests.streamRetries },
    limits: {
      maxSteps: config.agent.max_turns,
      maxDelegations: config.delegation.max_concurrent_children,
      verifyFileMutations: config.display.file_mutation_verifier,
    },
  };
}
