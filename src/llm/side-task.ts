/** Small questions beside the conversation (summaries, titles, pictures …), each with its own model. */
import type { Message } from './message.ts';
import type { ToolSchema, Usage } from './protocol.ts';
import type { ToolCall } from './message.ts';

/** Names of `auxiliary.<task>` in the configuration. */
export type SideTask =
  | 'vision'
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
  | 'flush_memories';

export interface SideQuestion {
  /** System message first, if any. */
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSchema[];
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** For this question only; over the configuration. */
  readonly model?: string;
}

export interface SideAnswer {
  /** Without thinking tags. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage?: Usage;
  readonly provider: string;
  readonly model: string;
}

/** Asks the model of a task, with its deadline and its fallbacks. */
export interface SideModels {
  /** Throws `ModelError` when every way was tried (kind `aborted` when `signal` aborts), `UserError` when none is set up. */
  ask(task: SideTask, question: SideQuestion, signal: AbortSignal): Promise<SideAnswer>;
  /** Window of the task's model in tokens, when known. */
  contextLength(task: SideTask): Promise<number | undefined>;
}
