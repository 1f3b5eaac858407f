/** A name in a folder that nothing has yet. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** `name` itself, else with `-2`, `-3` … behind it. */
export function freePath(folder: string, name: string): string {
  for (let count = 1; ; count += 1) {
    const path = join(folder, count === 1 ? name : `${name}-${count}`);
    if (!existsSync(path)) return path;
  }
}
