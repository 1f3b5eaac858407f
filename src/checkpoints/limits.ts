/** What the configuration says about the store of checkpoints. */
import type { LoadedConfig } from '../config/load.ts';
import type { CheckpointStoreOptions } from './checkpoint-store.ts';

export type CheckpointLimits = Pick<CheckpointStoreOptions, 'timeoutMs' | 'maxSnapshots' | 'maxFileBytes'>;

export function checkpointLimits({
  config: { checkpoints },
  process,
}: {
  readonly config: Pick<LoadedConfig['config'], 'checkpoints'>;
  readonly process: Pick<LoadedConfig['process'], 'files'>;
}): CheckpointLimits {
  return {
    timeoutMs: process.files.checkpointSeconds * 1000,
    maxSnapshots: checkpoints.max_snapshots,
    maxFileBytes: checkpoints.max_file_size_mb * 1024 * 1024,
  };
}
