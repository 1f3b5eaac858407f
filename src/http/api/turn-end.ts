/** How a turn ended, in the words of the API. */
import type { TurnResult } from '../../agent/events.ts';
import type { JsonObject } from '../../lib/json.ts';
import { maskKeys } from '../../lib/secrets.ts';
import type { TurnUsage } from './turns.ts';

/** What went wrong with a turn; undefined when it was answered. */
export interface Shortfall {
  readonly partial: boolean;
  readonly failed: boolean;
  readonly error: string;
  readonly error_code: 'output_truncated' | 'agent_error';
}

export function shortfallOf(result: TurnResult): Shortfall | undefined {
  switch (result.ended) {
    case 'completed':
    case 'budget':
      return undefined;
    case 'partial':
      return { partial: true, failed: false, error: maskKeys(result.error), error_code: 'output_truncated' };
    case 'failed':
      return { partial: false, failed: true, error: maskKeys(result.error), error_code: 'agent_error' };
    case 'interrupted':
      return { partial: true, failed: false, error: 'The turn was interrupted.', error_code: 'agent_error' };
  }
}

/** The object `hermes` of an answer that falls short. */
export function hermesObject({ partial, failed, error, error_code }: Shortfall): JsonObject {
  return { completed: false, partial, failed, error, error_code };
}

/** The same for clients that read headers alone. */
export function shortfallHeaders({ partial, error }: Shortfall): Readonly<Record<string, string>> {
  return {
    'x-hermes-completed': 'false',
    'x-hermes-partial': String(partial),
    'x-hermes-error': error.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, 200),
  };
}

export function chatUsage({ input, output }: TurnUsage): JsonObject {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

export function responsesUsage({ input, output }: TurnUsage): JsonObject {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}
