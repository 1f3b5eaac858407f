/** Which paths a reference may name: inside the workspace, and never where secrets are kept. */
import { join, sep } from 'node:path';
import type { FileSystem } from '../environments/environment.ts';

export interface Workspace {
  readonly files: FileSystem;
  /** Absolute; nothing outside may be attached. */
  readonly root: string;
  /** The user's own directory. */
  readonly userHome: string;
  /** The active home. */
  readonly homePath: string;
  /** False for files whose text no model may see, by their real path. */
  readonly mayRead: (realPath: string) => boolean;
}

export type FoundPath = { readonly path: string } | { readonly refusal: string };

const protectedFolders = ['.ssh', '.aws', '.gnupg', '.kube'];
const protectedFiles = [
  '.bashrc',
  '.zshrc',
  '.profile',
  '.bash_profile',
  '.zprofile',
  '.netrc',
  '.pgpass',
  '.npmrc',
  '.pypirc',
];

/** The real path of what was written. Links are followed before anything is judged. */
export async function findPath(written: string, workspace: Workspace): Promise<FoundPath> {
  const { files } = workspace;
  const path = await files.realPath(files.resolve(written));
  const inside = await isInside(path, [workspace.root], files);
  if (!inside) return { refusal: 'path is outside the allowed workspace' };
  return (await isSecret(path, workspace)) ? { refusal: 'this file or folder is protected' } : { path };
}

/** True where secrets are kept; `path` is real. */
export async function isSecret(path: string, workspace: Workspace): Promise<boolean> {
  const { files, userHome, homePath, mayRead } = workspace;
  if (!mayRead(path)) return true;
  const guarded = [
    ...[...protectedFolders, ...protectedFiles].map((name) => join(userHome, name)),
    join(homePath, '.env'),
    join(homePath, 'skills', '.hub'),
  ];
  return await isInside(path, guarded, files);
}

/** True for one of the places and everything below it; the places may be links themselves. */
async function isInside(path: string, places: readonly string[], files: FileSystem): Promise<boolean> {
  for (const place of places) {
    const real = await files.realPath(place);
    for (const known of [place, real]) {
      if (path === known || path.startsWith(known.endsWith(sep) ? known : known + sep)) return true;
    }
  }
  return false;
}
