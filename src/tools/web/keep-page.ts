/** Whole pages of which the model saw the ends, in the cache of the home, for `read_file`. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectories } from '../../lib/make-directories.ts';
import { pagesFolder } from './kept-pages.ts';

const maxChars = 2_000_000;
const maxFiles = 500;
const keptMs = 7 * 24 * 3_600_000;

/** Returns the path. The same address is kept once. Throws what the system says. */
export function keepPage(homePath: string, url: URL, text: string): string {
  const folder = pagesFolder(homePath);
  makeDirectories(folder, 0o700);
  forgetOld(folder);
  const digest = createHash('sha256').update(url.href).digest('hex').slice(0, 10);
  const path = join(folder, `${url.hostname.replace(/[^a-z0-9.-]/gi, '_').slice(0, 100)}-${digest}.md`);
  // A new file in the place of whatever is there: a link is not followed.
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(temporary, text.slice(0, maxChars).toWellFormed(), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return path;
}

/** Pages of last week, and more than there is room for. */
function forgetOld(folder: string): void {
  const pages = readdirSync(folder)
    .map((name) => ({
      path: join(folder, name),
      changed: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs,
    }))
    .flatMap(({ path, changed }) => (changed === undefined ? [] : [{ path, changed }]))
    .toSorted((left, right) => right.changed - left.changed);
  const oldest = Date.now() - keptMs;
  for (const [place, { path, changed }] of pages.entries()) {
    if (place >= maxFiles - 1 || changed < oldest) rmSync(path, { force: true });
  }
}
