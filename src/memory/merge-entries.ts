/** What becomes of entries that two have changed at the same time. Pure: reading and writing are elsewhere. */

/** What one change did to a list of entries. */
export interface EntriesDelta {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export function deltaOf(before: readonly string[], after: readonly string[]): EntriesDelta {
  const was = new Set(before);
  const is = new Set(after);
  return { added: after.filter((entry) => !was.has(entry)), removed: before.filter((entry) => !is.has(entry)) };
}

/**
 * `theirs` with a change of ours made to it: what we added is in it, what we removed is not, and everything else stays as
 * they have it. Doing it twice changes nothing more. An entry of ours takes the place of the one it replaced,
 * and is not put beside one that holds it.
 */
export function withDelta(theirs: readonly string[], { added, removed }: EntriesDelta): string[] {
  const gone = new Set(removed);
  // Whoever made an entry longer has seen it.
  const missing = added.filter((entry) => !theirs.some((other) => other.includes(entry)));
  const [only] = missing;
  const place = theirs.findIndex((entry) => gone.has(entry));
  const isReplacement = only !== undefined && missing.length === 1 && removed.length === 1 && place !== -1;
  const kept = (isReplacement ? theirs.with(place, only) : theirs).filter((entry) => !gone.has(entry));
  return isReplacement ? kept : [...kept, ...missing];
}
