/** `hermes skills config`: which skills are offered, everywhere or on one surface. */
import { join } from 'node:path';
import { updateConfig } from '../../config/edit.ts';
import { refusePackagedInstall } from '../../config/managed.ts';
import { skillEnvironment } from '../../config/skill-settings.ts';
import { UserError } from '../../lib/errors.ts';
import { bringSkills } from '../../runtime/bring-skills.ts';
import { skillRoots } from '../../skills/external-dirs.ts';
import type { Skill } from '../../skills/skill.ts';
import { HomeCatalogue } from '../../skills/skill-catalogue.ts';
import { byCategory, fitsSystem } from '../../skills/visibility.ts';
import type { CliContext } from '../command.ts';
import { readPackage } from '../commands/version.ts';
import { isPinned } from '../model/pins.ts';
import { Cancelled, openPrompts, type Prompts } from '../model/prompts.ts';

/** Asks with everything on that is on now. Throws `UserError` when there is no terminal, or nothing can be changed. */
export async function chooseSkills(context: CliContext, platform: string | undefined): Promise<void> {
  const { io, home, env } = context;
  const key = platform === undefined ? ['skills', 'disabled'] : ['skills', 'platform_disabled', platform];
  if (!io.stdin.isTTY || !io.stdout.isTTY) {
    throw new UserError('hermes skills config asks questions and needs a terminal.', {
      hint: `Without one, name those to leave out: hermes config set ${key.join('.')} '["name"]'`,
    });
  }
  refusePackagedInstall(home, env);
  const loaded = await context.config();
  if (isPinned(loaded.managed, key.join('.'))) {
    throw new UserError(`${key.join('.')} is set by your administrator.`);
  }
  await bringSkills({ home, env, version: readPackage().version }, (line) => io.stderr.write(`${line}\n`));
  const { external_dirs: external, disabled, platform_disabled: onPlatforms } = loaded.config.skills;
  const roots = skillRoots(home.path, external, skillEnvironment(env));
  const { skills } = await new HomeCatalogue(home.path).read(roots);
  const found = skills.filter(({ platforms }) => fitsSystem(platforms, process.platform));
  if (found.length === 0) {
    throw new UserError(`There are no skills in ${join(home.path, 'skills')}.`, {
      hint: 'Find some with: hermes skills browse',
    });
  }
  const off = new Set((platform === undefined ? undefined : onPlatforms[platform]) ?? disabled);
  const prompts = await openPrompts(io);
  prompts.intro('hermes skills');
  const next = await askWhichAreOff(prompts, found, off, platform);
  if (next === undefined) return prompts.outro('Nothing was changed.');
  await updateConfig(context, [{ path: key, value: [...next] }]);
  const where = platform === undefined ? '' : ` on ${platform}`;
  prompts.outro(`Off${where}: ${next.length === 0 ? 'none' : next.join(', ')}. Sessions that run keep their list.`);
}

/** Undefined when nothing is different. Names that no skill has are kept: theirs may come back. */
async function askWhichAreOff(
  prompts: Prompts,
  skills: readonly Skill[],
  off: ReadonlySet<string>,
  platform: string | undefined,
): Promise<readonly string[] | undefined> {
  const isOff = ({ name, directoryName }: Skill): boolean => off.has(name) || off.has(directoryName);
  const sorted = skills.toSorted(byCategory);
  const choices = sorted.map(({ name, directoryName, category }) => ({
    value: directoryName,
    label: name,
    hint: category,
  }));
  const on = sorted.filter((skill) => !isOff(skill)).map(({ directoryName }) => directoryName);
  try {
    const wanted = new Set(
      await prompts.choose(`Skills to offer${platform === undefined ? '' : ` on ${platform}`}`, choices, on),
    );
    if (wanted.size === on.length && on.every((name) => wanted.has(name))) return undefined;
    const known = new Set(skills.flatMap(({ name, directoryName }) => [name, directoryName]));
    const left = [...off].filter((name) => !known.has(name));
    return [...left, ...sorted.filter(({ directoryName }) => !wanted.has(directoryName)).map(({ name }) => name)];
  } catch (error) {
    if (error instanceof Cancelled) return undefined;
    throw error;
  }
}
