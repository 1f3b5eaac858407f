/** A skill that a plug-in brings: loaded by its whole name, never listed, never changed. */
import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/** What `registerSkill` takes. */
export const skillRegistration = z.looseObject({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be a name of letters, digits, _ and -'),
  /** Of its SKILL.md, or of the folder that it is in; absolute. */
  path: z.union([z.string(), z.instanceof(URL).transform((url) => fileURLToPath(url))]),
});

/** The folder of the skill. Throws for one that is not there. */
export function skillFolder({ name, path }: z.infer<typeof skillRegistration>): string {
  const folder = basename(path) === 'SKILL.md' ? dirname(path) : path;
  if (!isAbsolute(path) || statSync(join(folder, 'SKILL.md'), { throwIfNoEntry: false })?.isFile() !== true) {
    throw new Error(`registerSkill: there is no SKILL.md for ${name} at ${path}`);
  }
  return folder;
}
