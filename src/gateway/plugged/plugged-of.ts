/** The platforms that the plug-ins of a program bring. */
import type { Program } from '../../runtime/program.ts';
import type { PlatformEntry } from '../platform/platform.ts';

/** Loads nothing where there are none. */
export async function pluggedOf({ plugins }: Pick<Program, 'plugins'>): Promise<readonly PlatformEntry[]> {
  if (plugins.platforms.length === 0) return [];
  const { pluggedEntries } = await import('./plugged-platform.ts');
  return pluggedEntries(plugins.platforms);
}
