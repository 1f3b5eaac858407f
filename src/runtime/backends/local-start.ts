/** Where the first command on this machine starts. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** Words of the original for the directory that the session was opened in. */
const words: readonly string[] = ['auto', 'cwd'];

/** `terminal.cwd`, seen from the directory that the session was opened in. */
export function localStart(cwd: string, { cwd: configured }: { readonly cwd: string }): string {
  if (words.includes(configured.trim())) return cwd;
  return resolve(cwd, /^~(?:\/|$)/.test(configured) ? `${homedir()}${configured.slice(1)}` : configured);
}
