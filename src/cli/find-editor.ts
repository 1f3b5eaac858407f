/** The editor of the person: the one the environment names, else one that is installed. */
import type { Variables } from '../config/variables.ts';
import { findProgram } from './find-program.ts';

/** Program and arguments; `named` in the order in which they are wanted. Undefined when there is none. */
export function findEditor(named: readonly string[], env: Variables): readonly string[] | undefined {
  for (const name of [...named, 'nano', 'vim', 'vi', 'code', 'notepad']) {
    const [program, ...args] = name.trim().split(/\s+/);
    const file = program ? findProgram(program, env) : undefined;
    if (file !== undefined) return [file, ...args];
  }
  return undefined;
}
