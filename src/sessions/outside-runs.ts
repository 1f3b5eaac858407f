/** When commands ran whose output may come from outside, so that the files they wrote are known to carry it. */
import type { Source } from '../llm/source.ts';

/**
 * A file that changed while such a command ran may hold what it brought. Windows are kept for all sessions, at most
 * 5,000; older ones are joined, and are of an unknown source then.
 *
 * @example
 * const run = await store.outsideRuns.begin({ from: 'program', name: 'curl' });
 * // … the command runs …
 * await store.outsideRuns.end(run);
 * const source = await store.outsideRuns.during(fileChangedAtMs);
 */
export interface OutsideRuns {
  /** Returns the run's id. A run whose process dies counts until somebody notices. */
  begin(source: Source): Promise<number>;
  end(id: number): Promise<void>;
  /** The source of a run that was under way at that time (milliseconds since the epoch), give or take 2 seconds. */
  during(changedAtMs: number): Promise<Source | undefined>;
}
