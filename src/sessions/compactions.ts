/** Compactions of sessions, as every program on a store sees them: who makes one, and how the last summary ended. */
import type { SummaryFailure } from '../agent/shared-compactions.ts';

/**
 * @example
 * if (await store.compactions.claim(session.id, holder, 300_000)) await store.messages.compact(session.id, compacted);
 */
export interface Compactions {
  /** True unless somebody else's claim still holds; the claim of a dead process of this program does not. */
  claim(sessionId: string, holder: string, ttlMs: number): Promise<boolean>;
  /** False when somebody else has it now. */
  renew(sessionId: string, holder: string, ttlMs: number): Promise<boolean>;
  /** Does nothing when somebody else has it now. */
  release(sessionId: string, holder: string): Promise<void>;
  failure(sessionId: string): Promise<SummaryFailure | undefined>;
  setFailure(sessionId: string, failure: SummaryFailure | undefined): Promise<void>;
}
