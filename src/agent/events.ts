/** Everything a surface can show of a running turn. */
import type { Usage } from '../llm/protocol.ts';

export type StatusKind = 'retry' | 'fallback' | 'compression' | 'warning' | 'notice';

export type AgentEvent =
  | { readonly type: 'turn_started'; readonly sessionId: string }
  /** One model request begins; `step` counts from 1. */
  | { readonly type: 'step_started'; readonly step: number; readonly maxSteps: number }
  | { readonly type: 'text_delta'; readonly text: string }
  | { readonly type: 'reasoning_delta'; readonly text: string }
  /** The text so far is complete: tool lines follow, or the turn ends. */
  | { readonly type: 'text_end' }
  /** What was streamed since the last `text_end` is void: the request is made again. */
  | { readonly type: 'text_reset' }
  /** The model is writing the arguments of a call. */
  | { readonly type: 'tool_generating'; readonly name: string }
  | {
      readonly type: 'tool_started';
      readonly callId: string;
      readonly name: string;
      readonly emoji: string;
      readonly preview: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | { readonly type: 'tool_progress'; readonly callId: string; readonly name: string; readonly text: string }
  | {
      readonly type: 'tool_finished';
      readonly callId: string;
      readonly name: string;
      /** `refused` = policy or person said no; `cancelled` = interrupted before or while it ran. */
      readonly outcome: 'ok' | 'error' | 'refused' | 'cancelled';
      readonly durationMs: number;
      /** The text that the model is answered. */
      readonly result: string;
    }
  | { readonly type: 'usage'; readonly usage: Usage; readonly provider: string; readonly model: string }
  | { readonly type: 'status'; readonly kind: StatusKind; readonly message: string }
  | { readonly type: 'turn_finished'; readonly result: TurnResult };

/** Cumulative token counts of an agent, in the field's usual names. */
export interface TokenTotals {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly last_prompt_tokens: number;
}

/** How a turn ended. */
export interface TurnResult {
  /** The answer, or null when there is none. */
  readonly finalResponse: string | null;
  /** Model requests of this turn. */
  readonly apiCalls: number;
  /** A final response exists and the budget was not used up. */
  readonly completed: boolean;
  /** The answer is cut short or missing pieces. */
  readonly partial: boolean;
  readonly failed: boolean;
  readonly interrupted: boolean;
  /** One line for people; set when failed or partial. */
  readonly error?: string;
  /** The text that caused the interrupt. */
  readonly interruptMessage?: string;
  readonly lastReasoning?: string;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly tokens: TokenTotals;
}
