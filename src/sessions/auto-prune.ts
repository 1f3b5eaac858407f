/** Keeps the store's size bounded by age, for whoever starts a long-lived program. */
import type { SessionStore } from './session-store.ts';

/** The keys of `sessions` in config.yaml. */
export interface AutoPruneOptions {
  /** `auto_prune` */
  readonly enabled: boolean;
  /** `retention_days` */
  readonly retentionDays: number;
  /** `vacuum_after_prune` */
  readonly vacuumAfterPrune: boolean;
  /** `min_interval_hours` */
  readonly minIntervalHours: number;
}

const LAST_RUN = 'last_auto_prune';
const SECONDS_PER_DAY = 86_400;

/**
 * Deletes ended sessions older than the retention, at most once per interval for all processes that share the store.
 * Returns how many were deleted. The clock is in milliseconds since the epoch.
 */
export async function autoPrune(
  store: SessionStore,
  options: AutoPruneOptions,
  clock: { now(): number } = Date,
): Promise<number> {
  if (!options.enabled) return 0;
  const now = clock.now() / 1000;
  const lastRun = Number(await store.meta.get(LAST_RUN));
  // A last run in the future comes from a clock that was wrong; it must not switch pruning off.
  const isRecent = now - lastRun < options.minIntervalHours * 3600 && lastRun <= now;
  if (isRecent) return 0;
  // Written first, so that a process starting at the same moment leaves the work to this one.
  await store.meta.set(LAST_RUN, String(now));
  const pruned = await store.maintenance.prune({
    startedBefore: now - options.retentionDays * SECONDS_PER_DAY,
    archived: 'also',
  });
  if (pruned > 0 && options.vacuumAfterPrune) await store.maintenance.vacuum();
  return pruned;
}
