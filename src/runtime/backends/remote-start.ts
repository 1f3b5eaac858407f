/** Where the first command of another host starts. */
import type { Config } from '../../config/schema.ts';
import type { Environment } from '../../environments/environment.ts';

/**
 * `terminal.cwd` where it can be meant for there: absolute on a host of its own, or with `~`. What is relative was meant
 * for this machine.
 */
export function remoteStart(kind: Environment['kind'], terminal: Config['terminal']): string {
  const { cwd } = terminal;
  if (kind === 'docker') return terminal.docker_mount_cwd_to_workspace ? '/workspace' : insideContainer(cwd);
  return cwd.startsWith('/') || /^~(\/|$)/.test(cwd) ? cwd : '~';
}

/** Directories of a person's machine that no image has. */
const ofThisMachine = /^\/(home|Users|mnt|media|Volumes|[A-Za-z]:)(\/|$)/;

function insideContainer(cwd: string): string {
  if (/^~(\/|$)/.test(cwd)) return cwd;
  return cwd.startsWith('/') && !ofThisMachine.test(cwd) ? cwd : '/root';
}
