/** Brings bundled skills at the start of the program; when nothing changed it costs one small read. */
import { existsSync } from 'node:fs';
import { isInSync, optOutMarker } from './places.ts';
import type { SyncPlaces, SyncReport } from './sync.ts';

/** Undefined when there was nothing to do. Throws what a sync throws. */
export async function bringBundledSkills(places: SyncPlaces): Promise<SyncReport | undefined> {
  const { homePath, folder, version } = places;
  if (isInSync(homePath, folder, version) || existsSync(optOutMarker(homePath)) || !existsSync(folder))
    return undefined;
  const { syncBundledSkills } = await import('./sync.ts');
  return await syncBundledSkills(places);
}
