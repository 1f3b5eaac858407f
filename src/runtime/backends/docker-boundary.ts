/** What of the settings of docker lets something of this machine in. */
import type { Config } from '../../config/schema.ts';

type Terminal = Config['terminal'];

/** More arguments that open nothing; whatever else somebody adds may. */
const harmlessArguments = /^--(?:shm-size|ulimit|dns|dns-search|add-host|hostname|label|stop-timeout|tz|platform)=/;

/** Whether the container is the boundary: no directory of this machine is in it but those that exist for it. */
export function isDockerBoundary(terminal: Terminal): boolean {
  if (terminal.docker_mount_cwd_to_workspace) return false;
  if (terminal.docker_extra_args.some((argument) => !harmlessArguments.test(argument))) return false;
  return terminal.docker_volumes.every((volume) => isNamedVolume(volume.split(':', 1)[0] ?? ''));
}

/** A volume of the engine, as opposed to a path of this machine. */
export function isNamedVolume(source: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]+$/.test(source);
}
