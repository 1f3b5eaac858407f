/** Conversations on their way from a terminal to a chat: the columns `sessions.handoff_…`, which the original reads and writes too. */

import type { NewChatMessage } from './chat-inbox.ts';
import type { RouteEntry } from './chat-routes.ts';

export const handoffStates = ['pending', 'running', 'completed', 'failed'] as const;

export type HandoffState = (typeof handoffStates)[number];

export interface Handoff {
  readonly sessionId: string;
  readonly platform: string;
  readonly state: HandoffState;
  /** Why it failed. */
  readonly error: string | undefined;
}

/** What changes in the moment in which a chat has it. */
export interface TakenOver {
  /** The chat goes on in the session. */
  readonly route: RouteEntry;
  /** The session that stood in its place, which ends; undefined: there was none. */
  readonly before: string | undefined;
  /** What the agent is asked there first. */
  readonly message: NewChatMessage;
}

/**
 * `pending` since the terminal asked, `running` once a gateway has taken it, then `completed` or `failed`. Every step is one
 * that only one of them can take: whoever gets false came too late.
 *
 * @example
 * await store.handoffs.request(session.id, 'telegram');
 * while ((await store.handoffs.get(session.id))?.state === 'pending') await sleep(500);
 */
export interface Handoffs {
  /** False when one is under way, or nothing is stored of the session. */
  request(sessionId: string, platform: string): Promise<boolean>;
  /** The last one; undefined where there was none. */
  get(sessionId: string): Promise<Handoff | undefined>;
  /** Those that nobody has taken, the oldest conversation first, at most 100. */
  pending(): Promise<readonly Handoff[]>;
  /** False when it is not pending any more. */
  claim(sessionId: string): Promise<boolean>;
  /** False when it was given up meanwhile: then nothing has changed. Else all of it is on the disk, or nothing is. */
  complete(sessionId: string, taken: TakenOver): Promise<boolean>;
  /** False when it has ended already. Of the error 500 characters are kept. */
  fail(sessionId: string, error: string): Promise<boolean>;
  /** Those that are `running`: a gateway died with them. Returns how many. */
  failRunning(error: string): Promise<number>;
}
