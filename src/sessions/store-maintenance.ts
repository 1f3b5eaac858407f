/** What keeps a store small and sound, and what takes data out of it. */
import type { SessionSelection } from './session-selection.ts';
import type { SessionRow } from './sessions.ts';

export interface StoreStats {
  readonly sessions: number;
  readonly messages: number;
  readonly bySource: Readonly<Record<string, number>>;
  readonly sizeBytes: number;
}

/**
 * Everything here may take long on a large store, and none of it is needed for a conversation.
 *
 * @example
 * const pruned = await store.maintenance.prune({ startedBefore: Date.now() / 1000 - 90 * 86_400 });
 * if (pruned > 0) await store.maintenance.vacuum();
 */
export interface StoreMaintenance {
  stats(): Promise<StoreStats>;
  /** All ids, newest first, `tool` sessions too. */
  sessionIds(options?: { source?: string }): Promise<string[]>;
  /**
   * One line of JSON in pieces: all columns and a `messages` array. Nothing when there is no such session.
   * Memory stays flat however long it is.
   */
  exportSession(id: string): AsyncIterable<string>;
  /** The selected sessions, newest first: each row by itself, also runs of sub-agents and parts of one conversation. */
  select(selection: SessionSelection): Promise<SessionRow[]>;
  /**
   * Archives, or brings back, a session with all that its conversation was compacted from or goes on in. Returns how
   * many rows changed; 0 when there is no such session.
   */
  archive(id: string, archived: boolean): Promise<number>;
  /** True when it existed. The runs of its sub-agents and its files go with it; other children stay, with no parent. */
  deleteSession(id: string): Promise<boolean>;
  /** Deletes the selected sessions that have ended, as `deleteSession` does; returns how many of them there were. */
  prune(selection: SessionSelection): Promise<number>;
  /** Deletes sessions of the full-screen terminal that ended a day ago without a message or a title; returns how many. */
  deleteGhosts(): Promise<number>;
  /** Ends week-old continuations of a compaction in which no model was asked; returns how many. */
  endOrphans(): Promise<number>;
  /** Gives the space of deleted rows back to the system. */
  vacuum(): Promise<void>;
  /** What is wrong with the stored data; empty when it is sound. Reads everything, so not for every start. */
  checkIntegrity(): Promise<string[]>;
  /** Builds all indexes, the search index too, anew from the rows. Throws `UserError` for a newer schema. */
  rebuildIndexes(): Promise<void>;
}
