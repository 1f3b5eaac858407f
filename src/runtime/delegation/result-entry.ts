/** What came of one sub-agent, as the model reads it. */
import type { TurnResult } from '../../agent/events.ts';
import type { ResultStatus } from './sub-agents.ts';

export interface ResultEntry {
  readonly task_index: number;
  readonly status: ResultStatus;
  readonly summary: string | null;
  /** Model requests. */
  readonly api_calls: number;
  readonly duration_seconds: number;
  readonly model: string;
  readonly exit_reason: ExitReason;
  readonly tokens: { readonly input: number; readonly output: number };
  /** The newest calls. */
  readonly tool_trace: readonly TracedCall[];
  readonly live_transcript?: string;
  readonly error?: string;
  readonly diagnostic_path?: string;
  readonly summary_truncated?: true;
  readonly summary_full_path?: string;
  /** Files that the parent has read and that were changed since. */
  readonly stale_paths?: readonly string[];
}

export type ExitReason = 'completed' | 'max_iterations' | 'interrupted' | 'timeout' | 'error';

export interface TracedCall {
  readonly tool: string;
  readonly args_bytes: number;
  readonly result_bytes: number;
  readonly status: 'ok' | 'error';
}

export type Outcome = Pick<ResultEntry, 'status' | 'summary' | 'exit_reason' | 'error' | 'diagnostic_path'>;

/** How a turn of a sub-agent counts. An answer without a word is none. */
export function outcomeOf(result: TurnResult): Outcome {
  const said = result.finalResponse?.trim() ?? '';
  const summary = said === '' ? null : said;
  switch (result.ended) {
    case 'completed':
    case 'budget': {
      const exit_reason = result.ended === 'completed' ? 'completed' : 'max_iterations';
      if (summary !== null) return { status: 'completed', summary, exit_reason };
      return { status: 'failed', summary, exit_reason, error: 'The sub-agent ended without an answer.' };
    }
    case 'interrupted':
      return { status: 'interrupted', summary, exit_reason: 'interrupted', error: 'The sub-agent was stopped.' };
    case 'partial':
    case 'failed':
      return { status: 'failed', summary, exit_reason: 'error', error: result.error };
  }
}
