/** What the configuration says about every run of an agent. */
import type { RetryLimits } from '../agent/model-call.ts';
import type { AnnouncementSetting } from '../agent/announcement.ts';
import type { TurnLimits } from '../agent/conversation.ts';
import type { LoopGuardSettings, LoopLimits } from '../agent/loop-guard.ts';
import { parseBoolean } from '../config/env-values.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { ModelRequest, ReasoningEffort } from '../llm/protocol.ts';
import { effortOf, effortOverride } from '../llm/reasoning-effort.ts';

export interface RunSettings {
  readonly cacheTtl: ModelRequest['cacheTtl'];
  readonly reasoningEffort: ReasoningEffort | undefined;
  /** `agent.reasoning_overrides`: of single models, over `reasoningEffort`. */
  readonly effortFor?: (model: string) => ReasoningEffort | undefined;
  /** `agent.service_tier: fast` */
  readonly priority: boolean;
  /** `agent.image_input_mode: native` */
  readonly showsBlind?: boolean;
  readonly retries: RetryLimits;
  readonly limits: TurnLimits;
}

export function runSettings({ config, process }: LoadedConfig): RunSettings {
  return {
    cacheTtl: config.prompt_caching.cache_ttl,
    reasoningEffort: effortOf(config.agent.reasoning_effort) ?? 'medium',
    effortFor: (model) => effortOverride(config.agent.reasoning_overrides, model),
    priority: config.agent.service_tier === 'fast',
    showsBlind: config.agent.image_input_mode === 'native',
    retries: {
      requests: config.agent.api_max_retries,
      streams: process.requests.streamRetries,
      timeouts: process.requests.timeouts,
    },
    limits: {
      maxSteps: config.agent.max_turns,
      maxDelegations: config.delegation.max_concurrent_children,
      verifyFileMutations: config.display.file_mutation_verifier,
      loopGuard: loopGuard(config.tool_loop_guardrails),
      announcements: announcements(config.agent.intent_ack_continuation),
      sideBySideMs: process.deadlines.sideBySide * 1000,
      graceMs: process.deadlines.grace * 1000,
    },
  };
}

/** What is no word of those it knows is auto, as in the original. */
function announcements(setting: Config['agent']['intent_ack_continuation']): AnnouncementSetting {
  if (typeof setting !== 'string') return setting;
  const word = setting.trim().toLowerCase();
  return word === 'always' ? true : word === 'never' ? false : (parseBoolean(word || 'auto') ?? 'auto');
}

function loopGuard(config: Config['tool_loop_guardrails']): LoopGuardSettings {
  return {
    warnings: config.warnings_enabled,
    hardStops: config.hard_stop_enabled,
    warnAfter: loopLimits(config.warn_after),
    stopAfter: loopLimits(config.hard_stop_after),
  };
}

function loopLimits(limits: Config['tool_loop_guardrails']['warn_after']): LoopLimits {
  return {
    exactFailure: limits.exact_failure,
    sameToolFailure: limits.same_tool_failure,
    noProgress: limits.idempotent_no_progress,
  };
}
