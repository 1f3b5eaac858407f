/** Who continues a conversation: one process at a time, and whoever lost it can write no more. */
import { UserError } from '../lib/errors.ts';

/** Whose lease it is. */
export interface LeaseHolder {
  /** What the holder calls itself. */
  readonly holder: string;
  readonly host: string;
  readonly pid: number;
  /** Unix seconds. */
  readonly since: number;
}

export type LeaseAnswer =
  | { readonly granted: true; readonly fence: number }
  | { readonly granted: false; readonly by: LeaseHolder };

export interface LeaseTerm {
  /** How long it holds without being renewed, in milliseconds. */
  readonly ttlMs: number;
}

/** A write that is refused when somebody else has taken the session since the fence was given. */
export interface FencedWrite {
  readonly fence?: number;
  /** The claim under which a compaction is stored. */
  readonly compactionHolder?: string | undefined;
}

/**
 * Leases with fencing: every new holder of a session gets a higher fence, and the store refuses writes with a lower
 * one, so that a process that slept through the end of its lease cannot write into somebody else's conversation. A
 * holder of this machine whose process is dead holds nothing. See Martin Kleppmann, "How to do distributed locking",
 * https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html
 *
 * @example
 * const lease = await store.leases.take(session.id, 'cli', { ttlMs: 60_000 });
 * if (lease.granted) await store.messages.append(session.id, message, { fence: lease.fence });
 */
export interface SessionLeases {
  /** The same holder of the same process gets its own lease again, with the same fence. */
  take(sessionId: string, holder: string, term: LeaseTerm): Promise<LeaseAnswer>;
  /** False when somebody else has it now. */
  renew(sessionId: string, fence: number, term: LeaseTerm): Promise<boolean>;
  /** Does nothing when somebody else has it now. */
  release(sessionId: string, fence: number): Promise<void>;
  /** Takes it from whoever has it; returns the new fence. */
  takeOver(sessionId: string, holder: string, term: LeaseTerm): Promise<number>;
}

/** The error for a write of somebody who lost the session. */
export function lostSession({ holder, host, pid, since }: LeaseHolder): UserError {
  const time = new Date(since * 1000).toISOString();
  return new UserError(
    `This conversation is being continued elsewhere (${holder}, process ${pid} on ${host}, since ${time}).`,
    { hint: 'Go on there, or continue the session here again with `hermes --resume`. Nothing was stored.' },
  );
}
