/** Keeps what a service made in the caches of the home: what it gives are addresses that soon lead nowhere. */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const prefix = 'made_';
/** The oldest go first. */
const maxKept = 500;

/** Returns the path. `ending` without a dot. */
export async function keepMade(
  homePath: string,
  kind: 'images' | 'videos',
  bytes: Uint8Array,
  ending: string,
): Promise<string> {
  const folder = join(homePath, 'cache', kind);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const own = (await readdir(folder)).filter((name) => name.startsWith(prefix)).sort();
  for (const name of own.slice(0, Math.max(0, own.length - maxKept + 1))) await rm(join(folder, name), { force: true });
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const path = join(folder, `${prefix}${time}_${randomBytes(4).toString('hex')}.${ending}`);
  await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
  return path;
}
