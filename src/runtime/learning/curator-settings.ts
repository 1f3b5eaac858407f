/** `curator.*` of the configuration, in the words of the curator. */
import type { Config } from '../../config/load.ts';
import type { CuratorSettings } from '../../curator/curator.ts';

export function curatorSettings({ curator }: Config): CuratorSettings {
  return {
    enabled: curator.enabled,
    intervalHours: curator.interval_hours,
    minIdleHours: curator.min_idle_hours,
    staleAfterDays: curator.stale_after_days,
    archiveAfterDays: curator.archive_after_days,
    pruneBuiltins: curator.prune_builtins,
    backup: curator.backup,
  };
}
