/** Where the first command of another host starts. */
import type { Config } from '../../config/schema.ts';
import type { Environment } from '../../environments/environment.ts';

/**
 * `terminal.cwd` where it can be meant for there: absolute, or with `~`. What is relative was meant for this machine, and
 * containers have no directories of persons.
 */
export function remoteStart(kind: Environment['kind'], terminal: Config['terminal']): string {
  const { cwd } = terminal;
  const isDocker = kind === 'docker';
  if (isDocker && terminal.docker_mount_cwd_to_workspace) return '/workspace';
  if (/^~(\/|$)/.test(cwd)) return cwd;
  const isThere = cwd.startsWith('/') && (kind === 'ssh' || !ofThisMachine.test(cwd));
  return isThere ? cwd : isDocker ? '/root' : '~';
}

const ofThisMachine = /^\/(home|Users|mnt|media|Volumes|[A-Za-z]:)(\/|$)/;
