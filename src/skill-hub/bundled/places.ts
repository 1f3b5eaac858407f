/** Where bundled skills come from and what a home says about them; cheap enough for every start. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Env } from '../../config/home.ts';

/** The folder that the package ships, or `HERMES_BUNDLED_SKILLS`. */
export function bundledSkillsFolder(env: Env): string {
  const override = env['HERMES_BUNDLED_SKILLS']?.trim();
  return override ? override : fileURLToPath(new URL('../../../skills', import.meta.url));
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
    return false;
  }
}
