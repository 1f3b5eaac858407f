/** Whether a path leads to something that is written to and must never be replaced by a file. */
import { statSync } from 'node:fs';

/** True for pipes, terminals and devices (`/dev/stdout`, `>(jq .)`), also behind a link; false where nothing is. */
export function isPipeOrDevice(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}
