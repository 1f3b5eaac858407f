/** What the environment says about the shell that the program was started from. */
import { delimiter } from 'node:path';
import type { Variables } from './variables.ts';

/** Whether a program in this folder is found when its name is typed. */
export function isOnPath(folder: string, env: Variables): boolean {
  return (env['PATH'] ?? '').split(delimiter).includes(folder);
}

/** True after `npm start`. */
export function startedByNpm(env: Variables): boolean {
  return env['npm_lifecycle_event'] === 'start';
}
