/** Writes into what another profile has learned: most often a mistake, so they need a word that they are meant. */
import { posix } from 'node:path';
import type { FilePath } from '../../agent/tool.ts';
import type { ToolServices } from '../services.ts';
import type { FileProblem } from './file-access.ts';

const learned = new Set(['skills', 'plugins', 'cron', 'memories']);

/** A home below the folder of a sandbox, as its commands see one. */
const mirrored = /\/\.hermes\/(?:profiles\/[^/]+\/)?(?:skills|plugins|cron|memories)(?:\/|$)/;

/** Why the files must not be written without `cross_profile`; undefined when they are nobody else's. */
export async function otherProfileProblem(
  targets: readonly FilePath[],
  { files, paths }: Pick<ToolServices, 'files' | 'paths'>,
): Promise<FileProblem | undefined> {
  for (const { path, resolved } of targets) {
    const real = await files.realPath(resolved);
    if (real.startsWith(`${paths.root}/sandboxes/`) && mirrored.test(real)) {
      return {
        error: `Cross-profile write blocked by soft guard: ${path} is in the copy of the home that a sandbox has, and only that sandbox reads it. Write to ${paths.homePath} instead. If the user wants exactly that copy changed, call again with cross_profile: true.`,
      };
    }
    const owner = ownerOf(real, paths.root);
    if (owner === undefined || owner === ownerOf(posix.join(paths.homePath, 'skills'), paths.root)) continue;
    return {
      error: `Cross-profile write blocked by soft guard: ${path} belongs to the profile '${owner}'. If the user wants exactly that, call again with cross_profile: true.`,
    };
  }
  return undefined;
}

/** The profile whose skills, plugins, jobs or memories a path is among. */
function ownerOf(path: string, root: string): string | undefined {
  if (!path.startsWith(`${root}/`)) return undefined;
  const [first = '', name = '', inner = ''] = path.slice(root.length + 1).split('/');
  if (first === 'profiles') return learned.has(inner) ? name : undefined;
  return learned.has(first) ? 'default' : undefined;
}
