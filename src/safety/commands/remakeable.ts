/** What a deletion takes that tools make again: whoever loses it loses nothing but time. */
import { canBeMadeAgain } from '../programs/made-again.ts';
import { UNKNOWN } from './fields.ts';
import { type CommandPaths, resolvePath } from './paths.ts';
import { writePlace } from './write-places.ts';

/** True for what a path names in the workspace or among temporary files, as far as the text tells. */
export function isRemakeable(text: string, cwd: string | undefined, paths: CommandPaths): boolean {
  const path = text.includes(UNKNOWN) ? undefined : resolvePath(text, cwd);
  if (path === undefined || writePlace(text, cwd, paths) !== 'free') return false;
  const { workspace } = paths;
  const inside = workspace !== undefined && path.startsWith(`${workspace}/`);
  return canBeMadeAgain(inside ? path.slice(workspace.length + 1) : path);
}

/** True when `find` was told to choose only such names (`-name '*.pyc'`), below folders that may be written. */
export function findsRemakeable(words: readonly string[], cwd: string | undefined, paths: CommandPaths): boolean {
  const at = words.indexOf('find');
  if (at === -1 || words.some((word) => /^(?:-o|-or|,|!|-not)$/.test(word))) return false;
  const after = words.slice(at + 1);
  const end = after.findIndex((word) => /^[-(]/.test(word));
  const starts = after.slice(0, end === -1 ? undefined : end);
  const names = words.filter((_word, index) => /^-i?name$/.test(words[index - 1] ?? ''));
  return (
    names.length > 0 &&
    names.every((name) => canBeMadeAgain(name.replaceAll(/['"\\]/g, ''))) &&
    (starts.length === 0 ? ['.'] : starts).every((start) => writePlace(start, cwd, paths) === 'free')
  );
}
