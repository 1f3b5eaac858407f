/**
 * Which files a glob means, told to search programs by the last part of it. The `--glob` of ripgrep would bring back what
 * is ignored or hidden, and counts folders from where it runs instead of from where it searches.
 */
import { posix } from 'node:path';

export interface NamedFiles {
  readonly ripgrep: readonly string[];
  /** For programs that know nothing but the name of a file; undefined where they have to show all of them. */
  readonly name: string | undefined;
  /** Whether a file that the program found, absolute, is meant. */
  means(path: string): boolean;
}

/** @param root where the search starts, absolute */
export function namedFiles(glob: string, root: string): NamedFiles {
  // One that only takes files away brings none back.
  if (glob.startsWith('!')) return { ripgrep: ['--glob', glob], name: undefined, means: () => true };
  const wanted = glob
    .replace(/\/+$/, '/**')
    .replace(/^(?:\.?\/)+/, '')
    .replace(/^(?:\*\*\/)+(?=[^/]+$)/, '');
  const hasFolders = wanted.includes('/');
  const hasChoice = wanted.includes('{');
  const last = wanted.slice(wanted.lastIndexOf('/') + 1);
  const name = last === '' || last === '**' || (hasFolders && hasChoice) ? '*' : last;
  const start = root.endsWith('/') ? root.length : root.length + 1;
  const isMeantFolder = folderTest(wanted, last);
  return {
    // A colon would end the glob of a type.
    ripgrep: name === '*' ? [] : ['--type-add', `wanted:${name.replaceAll(':', '?')}`, '--type=wanted'],
    name: hasChoice ? undefined : name,
    means(path) {
      // Hidden files that are of a type are shown, unlike others; another glob for ripgrep would cost it a third more time.
      if (!name.startsWith('.') && path !== root && path[path.lastIndexOf('/') + 1] === '.') return false;
      if (hasFolders && path === root) return true;
      // Its name the program has looked at, and most files share a folder.
      if (hasFolders && !hasChoice) return isMeantFolder(path.slice(start, Math.max(start, path.lastIndexOf('/'))));
      if (hasFolders) return posix.matchesGlob(path.slice(start), wanted);
      return !hasChoice || posix.matchesGlob(posix.basename(path), wanted);
    },
  };
}

/** Whether a folder, relative and without a slash at its end, may hold what `wanted` means; each is looked at once. */
function folderTest(wanted: string, last: string): (folder: string) => boolean {
  const files = last === '**' ? wanted : `${wanted.slice(0, wanted.length - last.length)}*`;
  const known = new Map<string, boolean>();
  return (folder) => {
    let isMeant = known.get(folder);
    if (isMeant === undefined) {
      isMeant = posix.matchesGlob(folder === '' ? 'file' : `${folder}/file`, files);
      known.set(folder, isMeant);
    }
    return isMeant;
  };
}
