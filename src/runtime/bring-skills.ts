/** The skills that come along are in the home before anything is asked about skills. */
import { skillSourceSettings } from '../config/skill-settings.ts';
import { errorMessage } from '../lib/errors.ts';
import type { ProgramOptions } from './program-options.ts';

/** Costs one small read when nothing changed. A failure is one line, and the program goes on with what is there. */
export async function bringSkills(
  { home, env, version }: Pick<ProgramOptions, 'home' | 'env' | 'version'>,
  onWarning: (line: string) => void,
): Promise<void> {
  if (version === undefined) return;
  try {
    const { bundledSkillsFolder } = await import('../skill-hub/bundled/paths.ts');
    const { bringBundledSkills } = await import('../skill-hub/bundled/bring.ts');
    await bringBundledSkills({ homePath: home.path, folder: bundledSkillsFolder(skillSourceSettings(env)), version });
  } catch (error) {
    onWarning(`The bundled skills could not be brought to ${home.path}: ${errorMessage(error)}`);
  }
}
