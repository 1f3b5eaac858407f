/** What keeps a store small and sound, and what takes data out of it. */

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
 * const pruned = await store.maintenance.prune({ olderThanDays: 90 });
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
  /** True when it existed. Children stay, with no parent. */
  deleteSession(id: string): Promise<boolean>;
  /** Deletes sessions that have ended and were begun longer ago; returns how many. */
  prune(options: { olderThanDays: number; source?: string }): Promise<number>;
  /** Gives the space of deleted rows back to the system. */
  vacuum(): Promise<void>;
  /** What is wrong with the stored data; empty when it is sound. Reads everything, so not for every start. */
  checkIntegrity(): Promise<string[]>;
  /** Builds all indexes, the search index too, anew from the rows. Throws `UserError` for a newer schema. */
  rebuildIndexes(): Promise<void>;
}
