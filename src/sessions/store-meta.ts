/** A few values about the store itself, such as when it was last pruned. */

export interface StoreMeta {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}
