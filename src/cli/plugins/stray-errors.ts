/** What code of a plug-in throws where nobody can catch it, such as in a timer, is logged, and ends nothing. */
import { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import type { Log } from '../../lib/log.ts';
import { projectPlugins, userPlugins } from '../../plugins/packages/discover.ts';
import { type PluginFolder, pluginFolders } from '../../plugins/packages/plugin-folders.ts';
import { type ErrorOrigin, thrownBy } from '../../plugins/packages/thrown-by.ts';

export interface StrayErrors {
  /** Plug-ins of a home, and of projects, that this process loads. */
  watch(homePath: string, projectPaths?: readonly string[]): void;
  /** Whether an error that nobody caught is a plug-in's, and so ends nothing. */
  isOutlived(error: Error, origin: ErrorOrigin): boolean;
}

/** Of one plug-in; a timer may throw a thousand times a second. */
const mostTold = 20;

/** For the whole process, once. An error that is not of a plug-in ends it as it would without. */
export function outliveStrayErrors(log: Log): StrayErrors {
  const roots = new Set<string>();
  const told = new Map<string, number>();
  let folders: readonly PluginFolder[] | undefined;
  let origin: ErrorOrigin = 'uncaughtException';
  const ownerOf = (error: unknown, from: ErrorOrigin): string | undefined => {
    folders ??= [...roots].flatMap((root) => pluginFolders(root));
    return thrownBy(error, from, folders);
  };
  // Only those who listen here are told where it comes from, just before.
  process.on('uncaughtExceptionMonitor', (_error, from) => {
    origin = from;
  });
  process.setUncaughtExceptionCaptureCallback((error) => {
    const plugin = ownerOf(error, origin);
    if (plugin === undefined) {
      endWith(error, origin);
      return;
    }
    const count = (told.get(plugin) ?? 0) + 1;
    told.set(plugin, count);
    if (count <= mostTold) log.error(`the plug-in ${plugin} threw an error that nobody caught`, error);
    if (count === mostTold) log.error(`what else the plug-in ${plugin} throws like that is left out`);
  });
  return {
    watch(homePath, projectPaths = []) {
      for (const root of [userPlugins(homePath), ...projectPaths.map(projectPlugins)]) roots.add(root);
      folders = undefined;
    },
    isOutlived: (error, from) => ownerOf(error, from) !== undefined,
  };
}

/** As Node does where nobody captures. */
function endWith(error: Error, origin: ErrorOrigin): void {
  if (EventEmitter.prototype.emit.call(process, 'uncaughtException', error, origin)) return;
  process.stderr.write(`${inspect(error)}\n`);
  process.exit(1);
}
