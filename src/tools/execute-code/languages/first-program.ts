/** Looks for programs where commands look for them. */
import { join } from 'node:path';
import { isExecutable } from '../../../lib/is-executable.ts';
import type { ProgramPlaces } from './language.ts';

/** Every folder is searched for the first name before the second one counts. */
export function firstProgram(
  names: readonly string[],
  { searched }: Pick<ProgramPlaces, 'searched'>,
): string | undefined {
  return names.flatMap((name) => searched.map((folder) => join(folder, name))).find(isExecutable);
}
