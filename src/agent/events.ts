/** Everything a surface can show of a running turn. */
import type { JsonObject } from '../lib/json.ts';
import type { MessageKind } from '../llm/message.ts';
import type { Usage } from '../llm/protocol.ts';
import type { ApprovalChoice, ApprovalRequest } from './human.ts';
import type { ToolDetails, ToolRendering } from './tool.ts';

export type StatusKind = 'retry' | 'fallback' | 'compression' | 'warning' | 'notice';

/** `refused` = policy or person said no; `cancelled` = interrupted before or while it ran. */
export type CallOutcome = 'ok' | 'error' | 'refused' | 'cancelled';

/**
 * A turn's events, in order: `turn_started`, then its steps, then `turn_finished`. Questions to a person stand between
 * `tool_started` and `tool_finished` of the call that needs the answer; each is answered exactly once.
 *
 * @example
 * for await (const event of agent.run('hello')) {
 *   if (event.type === 'text_delta') process.stdout.write(event.text);
 * }
 */
export type AgentEvent =
  | { readonly type: 'turn_started'; readonly turnId: string; readonly sessionId: string }
  /** One model request begins; `step` counts from 1. */
  | { readonly type: 'step_started'; readonly turnId: string; readonly step: number; readonly maxSteps: number }
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
      /** The arguments as the model wrote them, without defaults. */
      readonly written: JsonObject;
    }
  | { readonly type: 'tool_progress'; readonly callId: string; readonly name: string; readonly text: string }
  | {
      readonly type: 'approval_requested';
      readonly id: string;
      readonly callId: string;
      readonly request: ApprovalRequest;
    }
  | {
      readonly type: 'approval_answered';
      readonly id: string;
      readonly callId: string;
      readonly choice: ApprovalChoice;
    }
  | {
      readonly type: 'question_asked';
      readonly id: string;
      readonly callId: string;
      readonly question: string;
      readonly choices: readonly string[];
    }
  /** The answer itself goes to the tool alone. */
  | { readonly type: 'question_answered'; readonly id: string; readonly callId: string; readonly answered: boolean }
  | {
      readonly type: 'tool_finished';
      readonly callId: string;
      readonly name: string;
      readonly outcome: CallOutcome;
      readonly durationMs: number;
      /** The text that the model is answered. */
      readonly result: string;
      readonly details: ToolDetails;
      readonly rendering: ToolRendering;
    }
  /** A message is on disk, under this id. */
  | {
      readonly type: 'message_stored';
      readonly id: string;
      readonly role: 'user' | 'assistant' | 'tool';
      readonly kind: MessageKind;
    }
  | { readonly type: 'usage'; readonly usage: Usage; readonly provider: string; readonly model: string }
  | { readonly type: 'status'; readonly kind: StatusKind; readonly message: string }
  /** The conversation goes on under another id: what follows is stored as a session of its own. */
  | { readonly type: 'session_moved'; readonly from: string; readonly to: string }
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

/** How a turn ended. `error` is one line for people. */
export type TurnEnd =
  | { readonly ended: 'completed'; readonly finalResponse: string }
  /** The steps are used up; the response is an account of the work. */
  | { readonly ended: 'budget'; readonly finalResponse: string }
  /** The answer is cut short or missing. */
  | { readonly ended: 'partial'; readonly finalResponse: string | null; readonly error: string }
  | { readonly ended: 'failed'; readonly finalResponse: string | null; readonly error: string }
  /** `finalResponse` is what the model had said until then; `message` the text that caused the interrupt. */
  | { readonly ended: 'interrupted'; readonly finalResponse: string | null; readonly message?: string };

/** What is known of a turn however it ended. */
export interface TurnFacts {
  readonly turnId: string;
  /** Model requests of this turn. */
  readonly apiCalls: number;
  readonly lastReasoning?: string;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly tokens: TokenTotals;
}

export type TurnResult = TurnFacts & TurnEnd;
