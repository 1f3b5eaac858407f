/** Files that a command would run, as they are at one moment: an answer about the command is one about them too. */
import { createHash } from 'node:crypto';

export interface RunFile {
  /** Absolute. */
  readonly path: string;
  /** SHA-256 of what it holds, in hex, or a word for what is no file; `none` where there is nothing. */
  readonly state: string;
}

/** What is different now: changed, come or gone. */
export function changedFiles(before: readonly RunFile[], now: readonly RunFile[]): readonly string[] {
  const states = new Map(before.map(({ path, state }) => [path, state]));
  const changed = now.filter(({ path, state }) => (states.get(path) ?? 'none') !== state);
  const gone = before.filter(({ path, state }) => state !== 'none' && !now.some((file) => file.path === path));
  return [...changed, ...gone].map(({ path }) => path);
}

/** A short text that is another one when a file is. */
export function filesDigest(files: readonly RunFile[]): string {
  const states = files.map(({ path, state }) => [path, state]);
  return createHash('sha256').update(JSON.stringify(states)).digest('hex').slice(0, 16);
}
