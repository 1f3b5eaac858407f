/** Where a command writes: what it may change freely, what must stay as it is, and what lies outside of its workspace. */
import { posix } from 'node:path';
import { isStartedLater } from '../started-later.ts';
import { UNKNOWN } from './fields.ts';
import { type CommandPaths, pathKind, resolvePath } from './paths.ts';

/**
 * `free`: the workspace, temporary and cache folders. `lasting`: what later conversations, ours or other
 * agents', begin with. `runs later`: files that programs take commands from, or are started by. `own`: ours, or protected by
 * rules of its own. `unknown`: only the running shell knows.
 */
export type WritePlace = 'free' | 'lasting' | 'runs later' | 'own' | 'outside' | 'unknown';

const temporary = /^(?:\/tmp|\/private\/tmp|\/var\/tmp|\/var\/folders|\/private\/var\/folders|\/dev\/shm)\/./;
/** What we keep there for running commands. */
const ownTemporary = /^\/(?:private\/)?(?:var\/)?tmp\/hermes-(?:local-|(?:\d+|user)(?:[-/]|$))/;
const caches = /^(?:\.cache|library\/caches|\.npm|\.cargo\/registry|\.gradle\/caches|\.m2\/repository|go\/pkg)(?:\/|$)/;
/** Of a repository's own files those that come and go with the work of git. */
const gitWork =
  /(?:^|\/)\.git\/(?:(?:.*\/)?[^/]+\.lock|COMMIT_EDITMSG|MERGE_MSG|SQUASH_MSG|description|info\/exclude)$/i;
const runsLater = new RegExp(
  [
    String.raw`(?:^|\/)(?:\.(?:git|githooks|husky|vscode|idea|devcontainer|claude|codex|gemini|cursor)(?:\/.*)?`,
    String.raw`|\.hermes\/plugins(?:\/.*)?`,
    String.raw`|\.envrc|\.direnvrc|\.mcp\.json|\.gitmodules|\.gitattributes|\.pre-commit-config\.yaml)$`,
  ].join(''),
  'i',
);
/** What the text of an argument means in the directory that the command runs in. */
export function writePlace(text: string, cwd: string | undefined, paths: CommandPaths): WritePlace {
  const named = text.includes(UNKNOWN) ? undefined : resolvePath(text, cwd);
  if (named === undefined) return 'unknown';
  const places = new Set([named, followed(named, paths)].map((path) => placeOf(path, paths)));
  return worstFirst.find((place) => places.has(place)) ?? 'outside';
}

const worstFirst: readonly WritePlace[] = ['own', 'runs later', 'outside', 'lasting', 'free'];

/** The real place of what is there; a pattern's is that of the folder it is matched in. */
function followed(path: string, { follow }: CommandPaths): string {
  if (follow === undefined) return path;
  const firstGlob = path.search(/[*?[]/);
  if (firstGlob === -1) return follow(path);
  const folder = posix.dirname(`${path.slice(0, firstGlob)}x`);
  return follow(folder) + path.slice(folder.length);
}

function placeOf(path: string, paths: CommandPaths): WritePlace {
  const place = placeByName(path, paths);
  // A program of that name would be run in the place of another one.
  return place === 'free' && paths.searched?.some((folder) => isInside(path, folder)) === true ? 'runs later' : place;
}

function placeByName(path: string, paths: CommandPaths): WritePlace {
  const place = roughPlace(path, paths);
  return place === 'outside' && isStartedLater(path, paths.userHome) ? 'runs later' : place;
}

function roughPlace(path: string, paths: CommandPaths): WritePlace {
  const { workspace, userHome } = paths;
  const inWorkspace = isInside(path, workspace);
  const kind = pathKind(path, undefined, paths);
  // A workspace may lie in `/root`, `/srv` or another place of the system.
  if (kind === 'learned') return 'lasting';
  if (kind !== undefined && !(kind === 'system' && inWorkspace)) return 'own';
  if (workspace !== undefined && inWorkspace) {
    const inside = path.slice(workspace.length);
    // In a home that is worked in, what is hidden belongs to other programs.
    if (workspace === userHome && inside.startsWith('/.') && !caches.test(inside.slice(1))) return 'outside';
    return runsLater.test(inside) && !gitWork.test(inside) ? 'runs later' : 'free';
  }
  // A home may lie among temporary folders; it is nobody's to fill for that.
  if (isInside(path, userHome)) return caches.test(path.slice(userHome.length + 1).toLowerCase()) ? 'free' : 'outside';
  if (!temporary.test(path)) return 'outside';
  return ownTemporary.test(path) ? 'own' : 'free';
}

function isInside(path: string, folder: string | undefined): boolean {
  return folder !== undefined && folder !== '/' && (path === folder || path.startsWith(`${folder}/`));
}
