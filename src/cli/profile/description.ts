/** What a profile is for, in a sentence: `profile.yaml`, which those who hand out work read. */
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readYamlFile } from '../../config/yaml-file.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { UserError } from '../../lib/errors.ts';

const FILE = 'profile.yaml';

export async function readDescription(homePath: string): Promise<string> {
  const file = await readYamlFile(join(homePath, FILE));
  const text = file.state === 'read' ? file.data['description'] : undefined;
  return typeof text === 'string' ? text : '';
}

/** Keeps whatever else the file says. Throws `UserError` for a file that does not parse. */
export async function writeDescription(homePath: string, text: string): Promise<void> {
  const file = await readYamlFile(join(homePath, FILE));
  if (file.state === 'broken') throw new UserError(`Cannot describe the profile: ${file.problem}`);
  const others = file.state === 'read' ? file.data : {};
  writeFileAtomic(join(homePath, FILE), stringify({ ...others, description: text, description_auto: false }));
}
