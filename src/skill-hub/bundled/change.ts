/** What a person can decide about bundled skills: have one back, have none, have them again. */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { UserError } from '../../lib/errors.ts';
import { type BundledSkill, listBundled } from './bundled-skills.ts';
import { readLedger, writeLedger } from './ledger.ts';
import { optOutMarker, stampPath } from './paths.ts';
import { md5OfTree } from './skill-tree.ts';
import { clearStaging, placeBundled, type SyncOptions, withLedgerLock } from './sync.ts';

/**
 * Forgets what was recorded of a bundled skill, so that the next sync takes the copy on disk as the one to follow.
 * With `restore` the copy is replaced by the pristine one at once. Throws `UserError` for a name that is not bundled.
 */
export async function resetBundled(options: SyncOptions, name: string, restore: boolean): Promise<void> {
  const { homePath, folder } = options;
  const skill = (await listBundled(folder)).find((entry) => entry.name === name);
  await withLedgerLock(homePath, () => {
    const ledger = readLedger(homePath);
    if (skill === undefined && !ledger.has(name)) {
      throw new UserError(`'${name.slice(0, 80)}' is not a bundled skill.`, {
        hint: 'See them with: hermes skills list --source builtin',
      });
    }
    if (restore && skill === undefined) {
      throw new UserError(`'${name}' does not come with this version, so there is no copy to restore.`);
    }
    if (restore && skill !== undefined) {
      placeBundled(homePath, skill);
      clearStaging(homePath);
      ledger.set(name, md5OfTree(skill.directory));
    } else ledger.delete(name);
    writeLedger(homePath, ledger);
    rmSync(stampPath(homePath), { force: true });
  });
}

/** Never bundled skills again in this home. What is there stays unless `remove` is given. */
export async function optOut(options: SyncOptions, remove: boolean): Promise<{ readonly removed: readonly string[] }> {
  const { homePath } = options;
  return await withLedgerLock(homePath, async () => {
    writeFileAtomic(
      optOutMarker(homePath),
      'Bundled skills are not brought into this home. Undo: hermes skills opt-in\n',
    );
    if (!remove) return { removed: [] };
    const unchanged = await unchangedBundled(options);
    const ledger = readLedger(homePath);
    for (const { name, path } of unchanged) {
      removeSkillFolder(join(homePath, 'skills'), path);
      ledger.delete(name);
    }
    writeLedger(homePath, ledger);
    return { removed: unchanged.map(({ name }) => name) };
  });
}

/** Bundled skills on disk that are byte for byte what was brought: all that `optOut` with `remove` would delete. */
export async function unchangedBundled({ homePath, folder }: SyncOptions): Promise<readonly BundledSkill[]> {
  const ledger = readLedger(homePath);
  const skills = await listBundled(folder);
  return skills.filter(({ name, path }) => {
    const target = join(homePath, 'skills', ...path.split('/'));
    return existsSync(target) && ledger.get(name) === md5OfTree(target);
  });
}

/** Bundled skills are brought again from the next sync on. False when that was so already. */
export function optIn(homePath: string): boolean {
  const marker = optOutMarker(homePath);
  const wasOut = existsSync(marker);
  rmSync(marker, { force: true });
  rmSync(stampPath(homePath), { force: true });
  return wasOut;
}

/** Deletes a skill's folder, and those above it that nothing is left in. */
function removeSkillFolder(root: string, path: string): void {
  rmSync(join(root, ...path.split('/')), { recursive: true, force: true });
  for (let above = dirname(path); above !== '.'; above = dirname(above)) {
    const folder = join(root, ...above.split('/'));
    const left = readdirSync(folder).filter((name) => name !== 'DESCRIPTION.md');
    if (left.length > 0) return;
    rmSync(join(folder, 'DESCRIPTION.md'), { force: true });
    rmdirSync(folder);
  }
}
