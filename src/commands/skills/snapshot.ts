/** A list of installed skills and taps in one file, to have the same on another machine. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { counted } from '../../lib/counted.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { errorMessage, UserError } from '../../lib/errors.ts';
import { parseJson } from '../../lib/json.ts';
import { installFromHub } from './change.ts';
import { shown, type SkillsSurface } from './skills-surface.ts';

export async function exportSnapshot(surface: SkillsSurface, file: string, force: boolean): Promise<void> {
  const { readLock, readTaps } = await import('../../skill-hub/hub-files.ts');
  const path = resolve(surface.cwd, file);
  if (existsSync(path) && !force) throw new UserError(`${path} exists already.`, { hint: 'Replace it with --force.' });
  const skills = [...readLock(surface.homePath)].map(([name, { source, identifier, install_path }]) => ({
    name,
    source,
    identifier,
    category: install_path.split('/').slice(0, -1).join('/'),
  }));
  const snapshot = {
    hermes_version: surface.version,
    exported_at: new Date().toISOString(),
    skills,
    taps: readTaps(surface.homePath),
  };
  writeFileAtomic(path, `${JSON.stringify(snapshot, undefined, 2)}\n`);
  surface.print(`Wrote ${counted(skills.length, 'skill')} and ${counted(snapshot.taps.length, 'tap')} to ${path}.`);
}

/** Each skill goes the whole way of an installation. Returns false when one did not arrive. */
export async function importSnapshot(
  surface: SkillsSurface,
  file: string,
  { force = false, yes = false }: { readonly force?: boolean; readonly yes?: boolean },
): Promise<boolean> {
  const { readLock, readTaps, withHubLock, writeTaps } = await import('../../skill-hub/hub-files.ts');
  const snapshot = readSnapshot(resolve(surface.cwd, file));
  await withHubLock(surface.homePath, () => {
    const taps = readTaps(surface.homePath);
    const known = new Set(taps.map(({ repo }) => repo.toLowerCase()));
    const added = snapshot.taps.filter(({ repo }) => !known.has(repo.toLowerCase()));
    if (added.length > 0) writeTaps(surface.homePath, [...taps, ...added]);
  });
  let fine = true;
  for (const { name, identifier, category } of snapshot.skills) {
    if (readLock(surface.homePath).has(name) && !force) {
      surface.print(`${shown(name)}  is installed already`);
      continue;
    }
    try {
      await installFromHub(surface, identifier, { name, ...(category === '' ? {} : { category }), force, yes });
    } catch (error) {
      if (surface.signal.aborted) throw error;
      fine = false;
      surface.print(`${shown(name)}  not installed: ${errorMessage(error)}`);
    }
  }
  return fine;
}

const shape = z.object({
  skills: z
    .array(z.object({ name: z.string(), identifier: z.string(), category: z.string().catch('').default('') }))
    .max(1_000),
  taps: z
    .array(z.object({ repo: z.string().min(1), path: z.string().catch('skills/').default('skills/') }))
    .catch([])
    .default([]),
});

function readSnapshot(path: string): z.output<typeof shape> {
  if (!existsSync(path)) throw new UserError(`${path} does not exist.`, { exitCode: 2 });
  const tooLarge = statSync(path).size > 4 * 1024 * 1024;
  const parsed = shape.safeParse(tooLarge ? undefined : parseJson(readFileSync(path, 'utf8')));
  if (!parsed.success) throw new UserError(`${path} is not a list of skills.`, { exitCode: 2 });
  return parsed.data;
}
