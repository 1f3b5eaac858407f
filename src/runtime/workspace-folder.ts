/** Folders that the judgement of commands goes by: that of the session's work, and that of our own program. */
import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Nothing lies in it: every write is one outside of the workspace. */
const nowhere = '/';
/** Of the system, apart from places where people work. */
const systemFolder = /^\/(?:bin|boot|dev|etc|lib(?:32|64)?|proc|run|sbin|sys|usr|var)(?:\/|$)/;
const workedOnInSystem = /^\/(?:var\/(?:www|tmp)|usr\/(?:local\/)?src|run\/media)(?:\/|$)/;

/** The root of the repository around `cwd`, else `cwd` itself, real; never a folder that holds the person's own. */
export function workspaceFolder(cwd: string, userHome: string): string {
  const start = realPathOrSame(cwd);
  const home = realPathOrSame(userHome);
  const isAbove = (folder: string): boolean =>
    dirname(folder) === folder || home === folder || home.startsWith(`${folder}/`);
  for (let folder = start; !isAbove(folder); folder = dirname(folder)) {
    if (isThere(join(folder, '.git'))) return folder;
  }
  if (start === home) return home;
  const isSystem = systemFolder.test(start) && !workedOnInSystem.test(start);
  return isAbove(start) || (isSystem && !start.startsWith(`${home}/`)) ? nowhere : start;
}

/**
 * Tells whether git works by settings of the workspace's own repository, which confined commands cannot change, or by none.
 * One that was made later may have been made by them. To be called before the first command.
 */
export function trustRepository(workspace: string): (folder: string) => boolean {
  const own = isThere(join(workspace, '.git')) ? workspace : undefined;
  return (folder) => {
    for (let at = realPathOrSame(folder); ; at = dirname(at)) {
      if (isThere(join(at, '.git'))) return at === own;
      // A folder that is laid out like a repository is one.
      if (isThere(join(at, 'HEAD')) && isThere(join(at, 'objects'))) return false;
      if (dirname(at) === at) return true;
    }
  };
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Where this program lies, from its sources or from a bundle; real. */
export function programFolder(): string {
  let folder = realPathOrSame(import.meta.dirname);
  while (folder !== '/' && !isThere(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function realPathOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // What does not exist has no other name.
    return path;
  }
}
