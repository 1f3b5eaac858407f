/** What a person decides about the skills that come with the program. */
import { counted } from '../../lib/counted.ts';
import { UserError } from '../../lib/errors.ts';
import { bundledPaths, type SkillsSurface } from './skills-surface.ts';

export async function resetSkill(
  surface: SkillsSurface,
  name: string,
  { restore = false, yes = false }: { readonly restore?: boolean; readonly yes?: boolean },
): Promise<void> {
  const { resetBundled } = await import('../../skill-hub/bundled/change.ts');
  if (restore && !yes && !(await surface.confirm(`Replace your copy of '${name}' with the original?`))) {
    throw new UserError(`'${name}' was not changed.`);
  }
  await resetBundled(await bundledPaths(surface), name, restore);
  surface.changed();
  surface.print(
    restore
      ? `'${name}' is as it came.`
      : `'${name}' was forgotten; the next sync follows your copy, or brings it again.`,
  );
}

export async function optOutOfBundled(
  surface: SkillsSurface,
  { remove = false, yes = false }: { readonly remove?: boolean; readonly yes?: boolean },
): Promise<void> {
  const { optOut, unchangedBundled } = await import('../../skill-hub/bundled/change.ts');
  const places = await bundledPaths(surface);
  if (remove && !yes) {
    const going = await unchangedBundled(places);
    if (!(await surface.confirm(`Delete ${going.length} bundled skills that you have not changed?`))) {
      throw new UserError('Nothing was changed.');
    }
  }
  const { removed } = await optOut(places, remove);
  surface.changed();
  surface.print('No bundled skills are brought into this home any more. Undo: hermes skills opt-in');
  if (remove) surface.print(`Removed ${removed.length}. What you changed was kept.`);
}

export async function optInToBundled(
  surface: SkillsSurface,
  { sync = false }: { readonly sync?: boolean },
): Promise<void> {
  const { optIn } = await import('../../skill-hub/bundled/change.ts');
  const wasOut = optIn(surface.homePath);
  surface.print(wasOut ? 'Bundled skills are welcome again.' : 'Bundled skills were not switched off.');
  if (!sync) return surface.print('They come with the next start, or now with --sync.');
  const { syncBundledSkills } = await import('../../skill-hub/bundled/sync.ts');
  const { added, updated, userModified, userDeleted, failed } = await syncBundledSkills(await bundledPaths(surface));
  surface.changed();
  surface.print(
    `${added.length} added, ${updated.length} updated, ${userModified.length} kept as you changed them, ${userDeleted.length} stay deleted.`,
  );
  for (const { name, reason } of failed) surface.print(`${name}: ${reason}`);
  if (failed.length > 0) throw new UserError(`${counted(failed.length, 'skill')} could not be copied.`);
}
