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
  const isAbove = (folder: string): boolean => folder === '/' || home === folder || home.startsWith(`${folder}/`);
  for (let folder = start; !isAbove(folder); folder = dirname(folder)) {
    if (statSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined) return folder;
  }
  if (start === home) return home;
  const isSystem = systemFolder.test(start) && !workedOnInSystem.test(start);
  return isAbove(start) || (isSystem && !start.startsWith(`${home}/`)) ? nowhere : start;
}

/** Where this program lies, from its sources or from a bundle; real. */
export function programFolder(): string {
  let folder = realPathOrSame(import.meta.dirname);
  while (folder !== '/' && statSync(join(folder, 'package.json'), { throwIfNoEntry: false }) === undefined)
    folder = dirname(folder);
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
