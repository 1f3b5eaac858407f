/** Whether anything can be spoken here, without loading or asking who would speak. */
import { delimiter, join } from 'node:path';
import type { SpeechOutput } from '../config/speech-output.ts';
import { isExecutable } from '../lib/is-executable.ts';

/** Why nothing can, in words for the owner; undefined when it can. `searchPath` is the `PATH` of programs. */
export function speechProblem(output: SpeechOutput, searchPath: string): string | undefined {
  if (output.kind === 'none') return output.why;
  const { program, name } = output.speaker;
  if (program === undefined || isInstalled(program, searchPath)) return undefined;
  return `${name} is not installed: there is no ${program} in PATH`;
}

/** True for a program in one of the folders of a search path; nothing is run. */
export function isInstalled(program: string, searchPath: string): boolean {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => endings.some((ending) => isExecutable(join(folder, program + ending))));
}
