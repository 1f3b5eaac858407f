/** Where the first command of another host starts. */
import type { Config } from '../../config/schema.ts';

/**
 * `terminal.cwd` where it can be meant for there: absolute on a host of its own, or with `~`. What is relative was meant
 * for this machine.
 */
export function remoteStart({ cwd }: Config['terminal']): string {
  return cwd.startsWith('/') || /^~(\/|$)/.test(cwd) ? cwd : '~';
}
