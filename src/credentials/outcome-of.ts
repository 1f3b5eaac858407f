/** What a failed request says about the credential that it was sent with. */
import type { ModelError } from '../llm/model-error.ts';
import type { Outcome } from './credential.ts';

/** Failures that another credential may not have. */
export const movesOn: ReadonlySet<ModelError['kind']> = new Set(['rate_limit', 'billing', 'auth']);

export function outcomeOf(error: ModelError): Extract<Outcome, { kind: 'failed' }> {
  const status = statusOf(error);
  return {
    kind: 'failed',
    exhausted: error.kind === 'billing' || (error.kind === 'rate_limit' && planLimit.test(error.message)),
    reason: error.message,
    ...(status === undefined ? {} : { status }),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  };
}

/** Limits of a plan, not of a moment. */
const planLimit =
  /usage.?limit|plan.?limit|per.?(?:day|week|month)\b|\b(?:hourly|daily|weekly|monthly|5.?hour)\W+(?:\w+\W+){0,2}limit/i;

/** What an error is taken for counts, not its number: some providers send 400 for an empty account. */
function statusOf({ kind, status }: ModelError): number | undefined {
  if (kind === 'rate_limit') return 429;
  if (kind === 'billing') return status === 429 ? 429 : 402;
  if (kind === 'auth') return status === 403 ? 403 : 401;
  return movesOn.has(kind) || status === 401 || status === 402 || status === 403 || status === 429 ? undefined : status;
}
