/** The skins there are: those that come along, and files `skins/<name>.yaml` of the home, which win. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readYamlFile } from '../../config/yaml-file.ts';
import { errorCode } from '../../lib/errors.ts';
import { builtInSkins } from './built-in.ts';
import { plainSkin, type Skin, skinOf } from './skin.ts';

/** Undefined when there is none of that name. A file that cannot be read is the plain one and a line in `warnings`. */
export async function findSkin(homePath: string, name: string, warnings: string[]): Promise<Skin | undefined> {
  const builtIn = builtInSkins.find((skin) => skin.name === name);
  if (!isSkinName(name)) return builtIn;
  const file = await readYamlFile(join(homePath, 'skins', `${name}.yaml`));
  if (file.state === 'absent') return builtIn;
  if (file.state === 'read') return skinOf(name, file.data);
  warnings.push(`The skin '${name}' cannot be read, the plain one is used: ${file.problem}`);
  return { ...plainSkin, name };
}

/** Names of the home's own skins, sorted. */
export async function ownSkinNames(homePath: string): Promise<readonly string[]> {
  try {
    const files = await readdir(join(homePath, 'skins'));
    return files
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => file.slice(0, -'.yaml'.length))
      .filter(isSkinName)
      .sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** What can be the name of a file in the folder, and nowhere else. */
function isSkinName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);
}
