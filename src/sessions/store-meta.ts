/** A few values about the store itself, such as when it was last pruned. */

/**
 * @example
 * await store.meta.set('last_auto_prune', String(Date.now() / 1000));
 */
export interface StoreMeta {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}
