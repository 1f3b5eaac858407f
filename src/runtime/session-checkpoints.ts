/** Opens the checkpoints of a session where they are wanted; all others load nothing of them. */
import { checkpointLimits } from '../checkpoints/limits.ts';
import type { SessionCheckpoints } from '../checkpoints/session-checkpoints.ts';
import type { SessionParts } from './session-parts.ts';

export async function openCheckpoints(
  { config: { config, process }, home, env, log }: Pick<SessionParts, 'config' | 'home' | 'env' | 'log'>,
  isWanted: boolean,
): Promise<SessionCheckpoints | undefined> {
  const { checkpoints } = config;
  // Elsewhere than on this machine the files are out of reach of the store.
  if (!(isWanted || checkpoints.enabled) || config.terminal.backend !== 'local') return undefined;
  const { SessionCheckpoints } = await import('../checkpoints/session-checkpoints.ts');
  return new SessionCheckpoints({
    homePath: home.path,
    env,
    ...checkpointLimits({ config, process }),
    log: log.named('checkpoints'),
    ...(checkpoints.auto_prune
      ? {
          pruning: {
            retentionDays: checkpoints.retention_days,
            maxTotalBytes: checkpoints.max_total_size_mb * 1024 * 1024,
            deleteOrphans: checkpoints.delete_orphans,
            everyHours: checkpoints.min_interval_hours,
          },
        }
      : {}),
  });
}
