/** Keeps what was spoken in the cache of the home, whose files may be sent into chats. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import type { Speech } from './speak.ts';

const prefix = 'tts_';
/** The oldest go first. */
const maxKept = 500;

/** Returns the path; `now` names the file. */
export async function keepSpeech(
  homePath: string,
  { bytes, format }: Pick<Speech, 'bytes' | 'format'>,
  now: Date = new Date(),
): Promise<string> {
  const folder = join(homePath, 'cache', 'audio');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const own = (await readdir(folder)).filter((name) => name.startsWith(prefix)).sort();
  for (const name of own.slice(0, Math.max(0, own.length - maxKept + 1))) await rm(join(folder, name), { force: true });
  const name = `${prefix}${stampOf(now)}`;
  for (let count = 1; ; count += 1) {
    const path = join(folder, `${name}${count === 1 ? '' : `_${count}`}.${format}`);
    try {
      await writeFile(path, bytes, { mode: 0o600, flag: 'wx' });
      return path;
    } catch (error) {
      // Another one of the same second has the name.
      if (errorCode(error) !== 'EEXIST' || count > maxKept) throw error;
    }
  }
}

/** `20260131_235959`, as clocks here show it. */
function stampOf(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${day}_${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}
