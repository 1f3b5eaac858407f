/** Pictures of pages are kept for a day. */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenTabs } from './browser-command.ts';

const keptMs = 24 * 3_600_000;

/** The path of the picture, in `cache/screenshots/` of the home; older ones go. */
export async function keepScreenshot(
  bytes: Buffer,
  address: string,
  { homePath, keepFile }: Pick<OpenTabs, 'homePath' | 'keepFile'>,
): Promise<string> {
  const folder = join(homePath, 'cache', 'screenshots');
  await mkdir(folder, { recursive: true });
  await removeOld(folder);
  const path = join(folder, `browser-${Date.now()}-${process.pid}.png`);
  await keepFile(address, () => writeFile(path, bytes, { mode: 0o600 }));
  return path;
}

async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (/^browser-.*\.png$/.test(name) && found !== undefined && Date.now() - found.mtimeMs > keptMs) {
      await rm(path, { force: true });
    }
  }
}
