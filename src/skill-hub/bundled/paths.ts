/** Where bundled skills come from and what a home says about them; cheap enough for every start. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SkillSourceSettings } from '../../config/skill-settings.ts';

/** The folder that the package ships, unless the settings name another one. */
export function bundledSkillsFolder({ bundledFolder }: Pick<SkillSourceSettings, 'bundledFolder'>): string {
  return bundledFolder ?? fileURLToPath(new URL('../../../skills', import.meta.url));
}

/** A home with this file is never given bundled skills. */
export function optOutMarker(homePath: string): string {
  return join(homePath, '.no-bundled-skills');
}

/** Says what was brought over last; as long as it still fits there is nothing to look at. */
export function stampPath(homePath: string): string {
  return join(homePath, 'skills', '.bundled_stamp');
}

/** Changes with the version of the program and with the folder itself. */
export function stampFor(folder: string, version: string): string {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return `${version} ${stat?.mtimeMs ?? 0} ${folder}\n`;
}

/** True when this version's skills were brought to the home already: one small file read, one folder looked at. */
export function isInSync(homePath: string, folder: string, version: string): boolean {
  try {
    return readFileSync(stampPath(homePath), 'utf8') === stampFor(folder, version);
  } catch {
    // Nothing was brought yet.
    return false;
  }
}
