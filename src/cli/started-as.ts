/** How this program was started, so that advice names a command that its reader has. */
import { startedByNpm } from '../config/shell.ts';
import type { Variables } from '../config/variables.ts';
import { findProgram } from './find-program.ts';

/** Advice names commands as `hermes …`; after `npm start` without a `hermes` on PATH they become `npm start -- …`. */
export function asStarted(text: string, env: Variables): string {
  if (!startedByNpm(env) || findProgram('hermes', env) !== undefined) return text;
  return text.replace(/(?<=^ *|[`'"(]|(?:: |&& |\b(?:run|with|use|or) {1,2}))hermes (?=[a-z-])/gm, 'npm start -- ');
}
