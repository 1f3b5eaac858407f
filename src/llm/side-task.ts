/** Small requests beside the conversation (summaries, titles, pictures …), each with its own model. */
import type { Message, ToolCall } from './message.ts';
import type { ModelError } from './model-error.ts';
import type { ModelRoute, ReasoningEffort, StopReason, ToolSchema, Usage } from './protocol.ts';

/** Names of `auxiliary.<task>` in the configuration. */
export type SideTask =
  | 'vision'
  | 'video'
  | 'web_extract'
  | 'compression'
  | 'approval'
  | 'title_generation'
  | 'skills_hub'
  | 'mcp'
  | 'tts_audio_tags'
  | 'triage_specifier'
  | 'kanban_decomposer'
  | 'profile_describer'
  | 'curator'
  | 'background_review'
  | 'goal_judge'
  | 'session_search'
  /** What plug-ins ask. */
  | 'plugin';

export interface SideRequest {
  /** System message first, if any. */
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSchema[];
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** For this request only; over the configuration. */
  readonly model?: string;
  /** For this request only: it and no other one is asked. */
  readonly provider?: string;
  /** A task that a plug-in brought: its settings count, `auxiliary.<own>`. */
  readonly own?: string;
}

export interface SideAnswer {
  /** Without thinking tags. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** Why it ended; absent where nobody told. */
  readonly stopReason?: StopReason;
  readonly usage?: Usage;
  readonly provider: string;
  readonly model: string;
}

/** Asks the model of a task, with its deadline and its fallbacks. */
export interface SideModels {
  /**
   * Throws `ModelError` when every candidate was tried (kind `aborted` when `signal` aborts), `UserError` when none is
   * set up.
   */
  ask(task: SideTask, request: SideRequest, signal: AbortSignal): Promise<SideAnswer>;
  /** Window of the task's model in tokens, when known. */
  contextLength(task: SideTask): Promise<number | undefined>;
}

/** The models of a task for a whole run of the agent, in the order in which `SideModels.ask` would try them. */
export interface SideLadder {
  /** The first that is set up, with the task's temperature and body fields and none of the conversation's. */
  readonly route: ModelRoute;
  /** The others. To be called in order, and only after the one before has failed; one that is not set up rejects. */
  readonly fallbacks: readonly (() => Promise<ModelRoute>)[];
  /** How long one request may take. */
  readonly timeoutMs: number;
  /** Absent: as the caller would. */
  readonly reasoningEffort?: ReasoningEffort;
  /** Whether the next one may be asked after this failure: a chosen model that is only busy is not left. */
  movesOn(error: ModelError): boolean;
}

export interface SideLadders {
  /** Keeps no books: usage, caps and deadlines are the caller's. Throws `UserError` when no candidate is set up. */
  ladder(task: SideTask, signal: AbortSignal): Promise<SideLadder>;
}
