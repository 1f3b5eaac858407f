/** What a home has made of the skills that come with the program: which were changed, and how. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../lib/errors.ts';
import type { BundledSkill } from '../../skill-hub/bundled/bundled-skills.ts';
import { bundledPaths, shown, type SkillsSurface } from './skills-surface.ts';

/** Bundled skills whose copy here differs from what was brought. */
export async function listModified(
  surface: SkillsSurface,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const { readLedger } = await import('../../skill-hub/bundled/ledger.ts');
  const { md5OfTree } = await import('../../skill-hub/bundled/skill-tree.ts');
  const ledger = readLedger(surface.homePath);
  const modified = (await bundledOf(surface)).filter(({ skill, copy }) => {
    const origin = ledger.get(skill.name);
    return origin !== undefined && origin !== '' && existsSync(copy) && md5OfTree(copy) !== origin;
  });
  if (json) {
    const rows = modified.map(({ skill, copy }) => ({ name: skill.name, path: copy }));
    return surface.print(JSON.stringify(rows, undefined, 2));
  }
  if (modified.length === 0) return surface.print('No bundled skill was changed here.');
  for (const { skill } of modified) surface.print(`${skill.name}  ${shown(skill.path)}`);
  surface.print(
    'See a change: hermes skills diff <name>. Have the original back: hermes skills reset <name> --restore',
  );
}

/** The changes as a diff from the bundled skill to the copy here. */
export async function diffSkill(surface: SkillsSurface, name: string): Promise<void> {
  const found = (await bundledOf(surface)).find(({ skill }) => skill.name === name);
  if (found === undefined) {
    throw new UserError(`'${shown(name, 80)}' is not a bundled skill.`, {
      hint: 'See them with: hermes skills list --source builtin',
    });
  }
  const { skill, copy } = found;
  if (!existsSync(copy)) throw new UserError(`There is no copy of '${name}' in this home.`);
  const { filesBelow } = await import('../../skill-hub/bundled/skill-tree.ts');
  const { createTwoFilesPatch } = await import('diff');
  const { escapeForDisplay } = await import('../../safety/display.ts');
  const names = new Set(
    [skill.directory, copy].flatMap((folder) => filesBelow(folder).map((parts) => parts.join('/'))),
  );
  let differs = false;
  for (const path of [...names].sort()) {
    const [before, after] = [skill.directory, copy].map((folder) => readText(join(folder, path)));
    if (before === after) continue;
    differs = true;
    const isText = before?.includes('\0') !== true && after?.includes('\0') !== true;
    surface.print(
      isText
        ? escapeForDisplay(createTwoFilesPatch(`bundled/${path}`, `yours/${path}`, before ?? '', after ?? '').trimEnd())
        : `Binary files bundled/${path} and yours/${path} differ`,
    );
  }
  if (!differs) surface.print(`'${name}' is as it comes with this version.`);
}

async function bundledOf(
  surface: SkillsSurface,
): Promise<readonly { readonly skill: BundledSkill; readonly copy: string }[]> {
  const { listBundled } = await import('../../skill-hub/bundled/bundled-skills.ts');
  const { homePath, folder } = await bundledPaths(surface);
  return (await listBundled(folder)).map((skill) => ({
    skill,
    copy: join(homePath, 'skills', ...skill.path.split('/')),
  }));
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
