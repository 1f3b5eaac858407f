/** What a profile is for, in a sentence: `profile.yaml`, which those who hand out work read. */
import { join } from 'node:path';
import { stringify } from 'yaml';
import { readYamlFile } from '../../config/yaml-file.ts';
import { writeFileAtomic } from '../../lib/atomic-file.ts';
import { UserError } from '../../lib/errors.ts';

const FILE = 'profile.yaml';

export async function readDescription(homePath: string): Promise<string> {
  return (await readNote(homePath)).text;
}

/** `auto` is true when a model wrote it. */
export async function readNote(homePath: string): Promise<{ readonly text: string; readonly auto: boolean }> {
  const file = await readYamlFile(join(homePath, FILE));
  const { description: text, description_auto: auto } = file.state === 'read' ? file.data : {};
  return { text: typeof text === 'string' ? text : '', auto: auto === true };
}

/** Keeps whatever else the file says. Throws `UserError` for a file that does not parse. */
export async function writeDescription(homePath: string, text: string, auto = false): Promise<void> {
  const file = await readYamlFile(join(homePath, FILE));
  if (file.state === 'broken') throw new UserError(`Cannot describe the profile: ${file.problem}`);
  const others = file.state === 'read' ? file.data : {};
  const note = { ...others, description: text, description_auto: auto };
  // The original reads it too, with an older parser.
  writeFileAtomic(join(homePath, FILE), stringify(note, { compat: 'yaml-1.1' }));
}
