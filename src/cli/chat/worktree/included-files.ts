/** Brings along what `.worktreeinclude` names: files that git does not track and that work needs, such as `.env`. */
import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { errorMessage } from '../../../lib/errors.ts';

/** Files are copied, directories linked; one path a line, `#` begins a comment. Returns a line for each that was left out. */
export async function bringIncluded(root: string, worktree: string): Promise<string[]> {
  const list = join(root, '.worktreeinclude');
  if (!existsSync(list)) return [];
  const entries = readFileSync(list, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  return entries.flatMap((entry) => {
    const problem = bring(root, worktree, entry);
    return problem === undefined ? [] : [`.worktreeinclude: '${entry}' is left out: ${problem}`];
  });
}

/** Undefined when it is there now, or was before, or the repository does not have it. */
function bring(root: string, worktree: string, entry: string): string | undefined {
  const source = join(root, entry);
  const target = join(worktree, entry);
  if (!isBelow(root, source) || !isBelow(worktree, target)) return 'it is outside of the repository';
  if (!existsSync(source) || existsSync(target)) return undefined;
  try {
    // A link that leads out of the repository is outside of it too.
    if (!isBelow(realpathSync(root), realpathSync(source))) return 'it leads out of the repository';
    mkdirSync(dirname(target), { recursive: true });
    if (!isBelow(realpathSync(worktree), realpathSync(dirname(target)), true)) return 'it leads out of the worktree';
    if (lstatSync(realpathSync(source)).isDirectory()) symlinkSync(source, target);
    else copyFileSync(source, target);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

function isBelow(root: string, path: string, orSame = false): boolean {
  const way = relative(root, path);
  if (way === '') return orSame;
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
