/** Pictures that an answer names, for readers that get nothing but its text: as `data:` addresses within it. */
import { readFile, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { findMedia } from '../text/media-marks.ts';
import { sendablePath, type SendableRules } from './sendable.ts';

const types: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
};
const maxBytes = 5 * 1024 * 1024;
/** Of one answer. */
const maxPictures = 4;

/** `MEDIA:` marks of pictures that may be sent and are at most 5 MiB; everything else stays text. Never rejects. */
export async function inlinePictures(answer: string, userHome: string, rules: SendableRules): Promise<string> {
  if (!/MEDIA:/i.test(answer)) return answer;
  let shown = '';
  let at = 0;
  let pictures = 0;
  for (const { start, end, path } of findMedia(answer, userHome).files) {
    const isMark = /^MEDIA:/i.test(answer.slice(start, start + 6));
    const picture = isMark && pictures < maxPictures ? await dataAddress(path, rules) : undefined;
    if (picture === undefined) continue;
    pictures += 1;
    shown += `${answer.slice(at, start)}![image](${picture})`;
    at = end;
  }
  return shown + answer.slice(at);
}

async function dataAddress(path: string, rules: SendableRules): Promise<string | undefined> {
  const type = types[extname(path).toLowerCase()];
  const real = type === undefined ? undefined : sendablePath(path, rules);
  if (type === undefined || real === undefined) return undefined;
  try {
    if ((await stat(real)).size > maxBytes) return undefined;
    return `data:${type};base64,${(await readFile(real)).toString('base64')}`;
  } catch {
    // It is gone, or cannot be read: the mark says what it was.
    return undefined;
  }
}
