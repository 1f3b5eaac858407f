/** How much lies in a folder, and which links in it lead out. */
import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isInside } from '../packages/manifest.ts';

export interface MeasuredFolder {
  /** Why it is too much, in words; the rest of it was not looked at then. */
  readonly excess: string | undefined;
  /** Paths of links that lead out, or nowhere. */
  readonly leadOut: readonly string[];
  /** The packages that lie below it, by name. */
  readonly packages: readonly string[];
}

/** A package with all that it needs. */
const folderLimits = { files: 20_000, bytes: 300_000_000, depth: 60 } as const;

/** What goes away meanwhile is not counted. */
export function measureFolder(root: string): MeasuredFolder {
  const leadOut: string[] = [];
  const packages = new Set<string>();
  const open = [{ folder: root, depth: 0 }];
  let files = 0;
  let bytes = 0;
  const result = (excess?: string): MeasuredFolder => ({ excess, leadOut, packages: [...packages].toSorted() });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { folder, depth } = next;
    if (depth > folderLimits.depth) return result('it is nested too deep');
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        open.push({ folder: path, depth: depth + 1 });
        const name = packageAt(path);
        if (name !== undefined) packages.add(name);
        continue;
      }
      files += 1;
      bytes += lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (entry.isSymbolicLink() && !staysInside(root, path)) leadOut.push(relative(root, path));
      if (files > folderLimits.files) return result(`it has more than ${folderLimits.files} files`);
      if (bytes > folderLimits.bytes) return result(`it has more than ${folderLimits.bytes} bytes`);
    }
  }
  return result();
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** `x` of `node_modules/x`, `@a/x` of `node_modules/@a/x`. */
function packageAt(path: string): string | undefined {
  const above = dirname(path);
  const name = basename(path);
  if (basename(above) === 'node_modules') return name.startsWith('@') || name.startsWith('.') ? undefined : name;
  const scope = basename(above);
  return scope.startsWith('@') && basename(dirname(above)) === 'node_modules' ? `${scope}/${name}` : undefined;
}

function staysInside(root: string, path: string): boolean {
  try {
    return isInside(realpathSync(root), realpathSync(path));
  } catch {
    return false;
  }
}
