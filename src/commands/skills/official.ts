/** `skills repair-official`: where official skills came from is recorded again, and broken ones are put back. */
import { resolve } from 'node:path';
import { skillSourceSettings } from '../../config/skill-settings.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { installOptions, shown, type SkillsSurface } from './skills-surface.ts';

/** Returns false when a skill could not be put back. */
export async function repairOfficialSkills(
  surface: SkillsSurface,
  wanted: string,
  { restore = false, yes = false }: { readonly restore?: boolean; readonly yes?: boolean },
): Promise<boolean> {
  const { homePath, signal } = surface;
  const { optionalFolder } = skillSourceSettings(surface.env);
  if (optionalFolder === undefined) {
    throw new UserError('No folder of optional official skills is set up.', {
      hint: 'Name one with HERMES_OPTIONAL_SKILLS=<folder>. Bundled skills: hermes skills reset <name> --restore',
    });
  }
  const { officialSource } = await import('../../skill-hub/sources/folder.ts');
  const { lookAtOfficial, recordOfficial, restoreOfficial } = await import('../../skill-hub/repair-official.ts');
  const source = officialSource([resolve(surface.cwd, optionalFolder)]);
  const skills = await lookAtOfficial({ homePath, source, wanted, signal });
  if (skills.length === 0) throw new UserError(`There is no optional official skill '${shown(wanted, 80)}'.`);
  for (const skill of skills) {
    if (skill.state === 'recorded') surface.print(`${skill.name}  as recorded`);
    if (skill.state !== 'unrecorded') continue;
    await recordOfficial(homePath, skill, new Date());
    surface.print(`${skill.name}  recorded as ${shown(skill.fetched.identifier)}`);
  }
  const broken = skills.filter(({ state }) => state === 'changed' || state === 'missing');
  if (!restore) {
    for (const { name, state } of broken) surface.print(`${name}  ${state}; have the official one with --restore`);
    return true;
  }
  const names = shown(broken.map(({ name }) => name).join(', '));
  if (broken.length === 0) return true;
  if (!yes && !(await surface.confirm(`Put back ${names}? What is there is moved aside.`))) return false;
  let fine = true;
  for (const skill of broken) {
    try {
      const kept = await restoreOfficial(skill, installOptions(surface, true));
      surface.print(`${skill.name}  put back${kept === undefined ? '' : `; the old one is in ${kept}`}`);
    } catch (error) {
      fine = false;
      surface.print(`${skill.name}  not put back: ${errorMessage(error)}`);
    }
  }
  surface.changed();
  return fine;
}
