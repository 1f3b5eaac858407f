/** What sub-agents do in the background, written down so that neither their results nor their end is lost. */
import type { JsonObject } from '../lib/json.ts';

export interface NewDelegation {
  readonly id: string;
  /** The chat that it was given in, or the session. */
  readonly originSession: string;
  readonly parentSessionId: string;
  /** Unix seconds. */
  readonly dispatchedAt: number;
  /** What was asked, in the words of the original: `goal`, `goals`, `context`, `role`, `model`, `is_batch`. */
  readonly task: JsonObject;
}

export interface DelegationEnd {
  /** `completed`, `error`, `interrupted` … */
  readonly state: string;
  /** Unix seconds. */
  readonly completedAt: number;
  /** Everything that is needed to tell of it. */
  readonly event: JsonObject;
  readonly result: JsonObject;
}

export interface ClaimedDelegation {
  readonly id: string;
  readonly event: JsonObject;
  /** Somebody tried to deliver it before: it may be in the conversation. */
  readonly again: boolean;
  readonly claim: string;
}

/** Where somebody waits for what has ended. */
export interface WaitingDelegation {
  readonly id: string;
  readonly originSession: string;
  readonly parentSessionId: string;
}

/**
 * The original's table `async_delegations`; both programs may deliver what the other has written. Each has one owner, the
 * process that runs it, and is never run again: what a dead process leaves has an unknown outcome. Delivered ones are kept
 * 7 days, at most 50 that have ended and 1,000 that wait.
 *
 * @example
 * await records.begin({ id, originSession, parentSessionId, dispatchedAt, task });
 * await records.finish(id, { state: 'completed', completedAt, event, result });
 * for (const { id, claim } of await records.claim([parentSessionId], 'cli')) await records.delivered(id, claim);
 */
export interface DelegationRecords {
  begin(delegation: NewDelegation): Promise<void>;
  /** No effect when it has ended already. */
  finish(id: string, end: DelegationEnd): Promise<void>;
  /**
   * Claims what has ended for these sessions and was not delivered, oldest first; what dead processes left has ended. A
   * claim is void after 300 seconds, and when the process of `consumer` has died.
   */
  claim(parentSessionIds: readonly string[], consumer: string): Promise<readonly ClaimedDelegation[]>;
  /** False when the claim is not ours any more. */
  delivered(id: string, claim: string): Promise<boolean>;
  /** It could not be delivered; it waits again. */
  release(id: string, claim: string): Promise<void>;
  /** Everything that has ended and was not delivered; what dead processes left has ended. */
  waiting(): Promise<readonly WaitingDelegation[]>;
}
