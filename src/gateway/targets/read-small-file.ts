/** Reads files of the home that other programs may write as well. */
import { readFileSync, statSync } from 'node:fs';

const maxBytes = 8 * 1024 * 1024;

/** Undefined for one that is not there, cannot be read, or is too long to be what it should. */
export function readSmallFile(path: string): string | undefined {
  try {
    return statSync(path).size > maxBytes ? undefined : readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
