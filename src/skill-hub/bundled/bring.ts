/** Brings bundled skills at the start of the program; when nothing changed it costs one small read. */
import { existsSync } from 'node:fs';
import { isInSync, optOutMarker } from './paths.ts';
import type { SyncOptions, SyncReport } from './sync.ts';

/** Undefined when there was nothing to do. Throws what a sync throws. */
export async function bringBundledSkills(options: SyncOptions): Promise<SyncReport | undefined> {
  const { homePath, folder, version } = options;
  if (isInSync(homePath, folder, version) || existsSync(optOutMarker(homePath)) || !existsSync(folder))
    return undefined;
  const { syncBundledSkills } = await import('./sync.ts');
  return await syncBundledSkills(options);
}
