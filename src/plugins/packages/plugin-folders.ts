/** Where the code of plug-ins lies, links followed; nothing of it is read. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { foldersIn, isReservedFolder, packageNamesIn, packagesFolder } from './discover.ts';

export interface PluginFolder {
  readonly name: string;
  readonly path: string;
}

/** Of all below a folder of plug-ins, whether they are loaded or not. */
export function pluginFolders(root: string): readonly PluginFolder[] {
  const packed = packageNamesIn(packagesFolder(root)).map((name) => at(name, join(packagesFolder(root), name)));
  const plain = foldersIn(root)
    .filter((name) => !isReservedFolder(name))
    .flatMap((name) => (hasManifest(join(root, name)) ? [name] : inner(root, name)))
    .map((key) => at(key, join(root, key)));
  return [...packed, ...plain];
}

function inner(root: string, category: string): readonly string[] {
  return foldersIn(join(root, category))
    .map((name) => `${category}/${name}`)
    .filter((key) => hasManifest(join(root, key)));
}

function hasManifest(folder: string): boolean {
  return ['plugin.yaml', 'plugin.yml'].some((name) => existsSync(join(folder, name)));
}

/** Node names a module by where it really lies. */
function at(name: string, path: string): PluginFolder {
  try {
    return { name, path: realpathSync(path) };
  } catch {
    return { name, path };
  }
}
