/** Terminal backend `singularity`: an instance of apptainer or singularity. */
import { accessSync, constants } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../environments/environment.ts';
import { createRemoteEnvironment } from '../../environments/remote/remote-environment.ts';
import { createSingularityHost } from '../../environments/singularity/singularity-host.ts';
import { childEnvironment } from '../../safety/child-env.ts';
import type { BackendParts } from './backend.ts';
import { expandHome, readOnlyMounts, remoteOptions, sharedFileSync } from './remote-options.ts';

/** All sessions and helpers of a profile work on the same files. */
const task = 'default';

export function open(parts: BackendParts): Environment {
  const { terminal } = parts.config.config;
  const host = createSingularityHost({
    env: childEnvironment(parts.env),
    image: expandHome(terminal.singularity_image),
    mounts: readOnlyMounts(parts, '/root'),
    scratch: scratchDirectory(parts),
    ...(terminal.container_persistent ? { keptAs: task } : {}),
    cpus: terminal.container_cpu,
    memoryMb: terminal.container_memory,
    log: parts.log.named('environments'),
  });
  return createRemoteEnvironment({ ...remoteOptions(parts), host, sync: sharedFileSync(parts) });
}

/** Large, and best on a disk of the machine: clusters have one under `/scratch`. */
function scratchDirectory({ config, home }: BackendParts): string {
  const { scratch_dir: scratch, sandbox_dir: sandboxes } = config.config.terminal;
  if (scratch) return expandHome(scratch);
  if (sandboxes) return join(expandHome(sandboxes), 'singularity');
  const ofUser = join('/scratch', userInfo().username);
  return isWritable(ofUser) ? join(ofUser, 'hermes-agent') : join(home.path, 'sandboxes', 'singularity');
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    // It is not there, or it is somebody else's.
    return false;
  }
}
