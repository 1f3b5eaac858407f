/** `HERMES_WRITE_SAFE_ROOT`: which files a call of a file tool would write outside the one tree it may write in. */
import type { FileSystem } from '../../environments/environment.ts';
import { type Finding, unclear } from '../../safety/finding.ts';
import { patchedPaths } from '../file/v4a/parse-patch.ts';

/** Paths that a call of `write_file` or `patch` names, as written. */
export function pathsToWrite(tool: string, args: Readonly<Record<string, unknown>>): string[] {
  if (tool !== 'write_file' && tool !== 'patch') return [];
  const own = typeof args['path'] === 'string' ? [args['path']] : [];
  if (tool === 'write_file' || typeof args['patch'] !== 'string') return own;
  return [...own, ...patchedPaths(args['patch'])];
}

/** One finding for each path that really lies outside `safeRoot`; an answer never holds for good. */
export async function outsideSafeRoot(
  paths: readonly string[],
  safeRoot: string,
  files: Pick<FileSystem, 'resolve' | 'realPath'>,
): Promise<Finding[]> {
  const root = (await files.realPath(files.resolve(safeRoot))).replace(/(?<=.)[\\/]+$/, '');
  const findings: Finding[] = [];
  for (const path of paths) {
    const real = await files.realPath(files.resolve(path));
    const inside = root === '/' || real === root || real.startsWith(`${root}/`) || real.startsWith(`${root}\\`);
    if (!inside) findings.push(unclear(`write outside HERMES_WRITE_SAFE_ROOT: ${real}`));
  }
  return findings;
}
