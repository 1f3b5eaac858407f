/** Keeps every path that a skill, a model or a person names inside the folder it belongs to. */
import { existsSync, lstatSync, realpathSync, rmdirSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

/** Directories of a skill that hold its own files, which are never skills themselves. */
export const supportDirectories: readonly string[] = ['references', 'templates', 'scripts', 'assets'];

/** What stands at a path, links followed; `undefined` when nothing does, or it cannot be reached. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Out of reach is as good as missing for whoever only asks what could be used.
    return undefined;
  }
}

/** Parts of a relative path, or why it is none that may be used. Both kinds of slash separate. */
export function readRelativePath(path: string): { readonly parts: readonly string[] } | { readonly problem: string } {
  if (path.length > 500 || /[\u0000-\u001f\u007f]/.test(path))
    return { problem: 'The path is not a usable file name.' };
  if (isAbsolute(path) || /^(?:[A-Za-z]:|[\\/~])/.test(path)) {
    return { problem: `The path must be relative to the skill: ${path}` };
  }
  const parts = path.split(/[\\/]+/).filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return { problem: `Path traversal ('..') is not allowed: ${path}` };
  return parts.length === 0 ? { problem: 'The path is empty.' } : { parts };
}

/** The real path of something below `directory`; `undefined` when links lead outside or nothing is there. */
export function realPathInside(directory: string, path: string): string | undefined {
  try {
    const base = realpathSync(directory);
    const real = realpathSync(path);
    return isInside(base, real) ? real : undefined;
  } catch {
    // Nothing is there, or a link leads nowhere.
    return undefined;
  }
}

/**
 * Where a supporting file may be written: below one of the four folders of a skill, with no link on the way that leads
 * out of it. The file need not exist.
 */
export function supportFilePath(
  directory: string,
  filePath: string,
): { readonly path: string; readonly parts: readonly string[] } | { readonly problem: string } {
  const read = readRelativePath(filePath);
  if ('problem' in read) return read;
  const { parts } = read;
  if (!supportDirectories.includes(parts[0] ?? '')) {
    return {
      problem: `Files may only be kept under ${supportDirectories.map((name) => `${name}/`).join(', ')}; not ${filePath}`,
    };
  }
  if (parts.length < 2) return { problem: `A file name must follow the folder: ${parts[0]}/myfile.md` };
  if (parts.some((part) => part.startsWith('.')))
    return { problem: `Hidden files are not part of a skill: ${filePath}` };
  const path = join(directory, ...parts);
  const problem = linkProblem(directory, path);
  return problem === undefined ? { path, parts } : { problem };
}

/** True when `path` is `directory` or below it; both must be real. */
export function isInside(directory: string, path: string): boolean {
  const below = relative(directory, path);
  return below === '' || (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below));
}

/** Removes `folder` and its parents below `end` for as long as they are empty. */
export function removeEmptyFolders(folder: string, end: string): void {
  for (let path = folder; path.startsWith(end + sep); path = dirname(path)) {
    try {
      rmdirSync(path);
    } catch {
      // Something is in it, or it may not be removed: an empty folder that stays does no harm.
      return;
    }
  }
}

function linkProblem(directory: string, path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    return 'The file is a symbolic link; it is not changed through a skill.';
  }
  let existing = dirname(path);
  while (!existsSync(existing) && existing !== dirname(existing)) existing = dirname(existing);
  return realPathInside(directory, existing) === undefined && isInside(directory, existing)
    ? 'A link on the way leads outside the skill.'
    : undefined;
}
