/** What the model is told when a call was not allowed. Each tool gets the shape of its own results. */
import type { PolicyDecision } from '../../agent/policy.ts';

type Refusal = Extract<PolicyDecision, { kind: 'refuse' }>;

/** `message` says what was refused, why, and what not to try. */
export function refuse(tool: string, reason: string, message: string): Refusal {
  switch (tool) {
    case 'terminal':
      return { kind: 'refuse', reason, result: { output: '', exit_code: -1, error: message, status: 'blocked' } };
    case 'process':
      return { kind: 'refuse', reason, result: { status: 'error', error: message } };
    default:
      return { kind: 'refuse', reason, result: { error: message } };
  }
}

const doNotRetry = 'Do not retry it, reword it or reach the same effect another way';

export function hardlineMessage(reason: string): string {
  return `BLOCKED (hardline): ${reason}. This is never run and nobody can approve it. ${doNotRetry}.`;
}

export function nobodyToAskMessage(reasons: readonly string[]): string {
  return `BLOCKED: this needs a person's approval (${reasons.join('; ')}) and nobody can be asked here. ${doNotRetry}; find a safer way or tell the user what to run.`;
}

export function deniedMessage(reasons: readonly string[], timedOut: boolean): string {
  const what = timedOut ? 'nobody answered the approval request in time' : 'the user denied it';
  return `BLOCKED: ${what} (${reasons.join('; ')}). ${doNotRetry}; ask the user how to go on.`;
}
