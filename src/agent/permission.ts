/** Asks whether a call may run: the policy and, where it wants one, the person. Whatever goes wrong on the way means no. */
import { errorMessage } from '../lib/errors.ts';
import type { ApprovalAnswer, ApprovalRequest, Human } from './human.ts';
import type { Policy, PolicyCall, PolicyDecision } from './policy.ts';
import { type Patience, waitFor } from './wait-for.ts';

/** A policy may ask a model; longer than this it has no answer. */
export const policyDeadlineMs = 180_000;

/** About one call: an answer does not hold when what would run has changed by then. */
const maxQuestions = 3;

export interface PermissionRequest {
  readonly policy: Policy;
  readonly human: Human;
  readonly call: PolicyCall;
  readonly patience: Patience;
  readonly watch?: ApprovalWatch | undefined;
}

/** Hears what a person is asked and answers. Must not reject. */
export interface ApprovalWatch {
  asking(request: ApprovalRequest): Promise<void>;
  answered(request: ApprovalRequest, answer: ApprovalAnswer): Promise<void>;
}

export type Permission = Exclude<PolicyDecision, { kind: 'ask' }>;
export type Allowed = Extract<PolicyDecision, { kind: 'allow' }>;

/** Never rejects. */
export async function askPermission({ policy, human, call, patience, watch }: PermissionRequest): Promise<Permission> {
  const wait = { ...patience, deadlineMs: policyDeadlineMs };
  try {
    const decision = await waitFor(policy.decide(call, patience.signal), wait);
    if ('givenUp' in decision) return refused(`the policy gave no answer (${decision.givenUp})`);
    let { value } = decision;
    for (let questions = 0; value.kind === 'ask'; questions++) {
      if (questions === maxQuestions) return refused('what would run changed again and again');
      await watch?.asking(value.request);
      const answer = await human.approve(value.request, patience.signal);
      await watch?.answered(value.request, answer);
      const settled = await waitFor(value.settle(answer), wait);
      if ('givenUp' in settled) return refused(`the policy gave no answer (${settled.givenUp})`);
      value = settled.value;
    }
    return value;
  } catch (error) {
    return refused(`the call could not be judged (${errorMessage(error)})`);
  }
}

function refused(reason: string): Permission {
  return { kind: 'refuse', reason, message: `BLOCKED: ${reason}. Do not retry.` };
}
