/** The one door in front of every tool call, whoever makes it. */
import type { ApprovalChoice, ApprovalRequest } from './human.ts';

export interface PolicyCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly sessionId: string;
  /** Whether a person can be asked right now. */
  readonly humanPresent: boolean;
}

export type PolicyDecision =
  | { readonly kind: 'allow' }
  /** `result` is what the model is answered instead of the tool's own result. */
  | { readonly kind: 'refuse'; readonly reason: string; readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly kind: 'ask';
      readonly request: ApprovalRequest;
      /** Remembers the answer as far as the choice says; returns the refusal when the answer was no. */
      settle(choice: ApprovalChoice): Promise<PolicyDecision>;
    };

/** Must be asked before every call and must fail closed: whatever it cannot judge, it refuses or asks. */
export interface Policy {
  judge(call: PolicyCall, signal: AbortSignal): Promise<PolicyDecision>;
}
