/** Pictures that go along with a question: `--image`, `/image`, `/paste`. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorMessage, UserError } from '../lib/errors.ts';
import type { ImagePart } from '../llm/message.ts';

/** What the providers take in one request, less what base64 adds. */
export const maxImageBytes = 15 * 1024 * 1024;

/** Throws `UserError` for a file that is missing, too large, or no PNG, JPEG, GIF or WebP. */
export function readImage(path: string): ImagePart {
  return imageOf(readBytes(path), `'${path}'`);
}

/** Throws `UserError` for bytes that are no such picture; `name` is what they are called in it. */
export function imageOf(bytes: Buffer, name: string): ImagePart {
  const type = pictureType(bytes);
  if (type === undefined) {
    throw new UserError(`${name} is not a picture that models take.`, { hint: 'Use PNG, JPEG, GIF or WebP.' });
  }
  return { type: 'image_url', image_url: { url: `data:${type};base64,${bytes.toString('base64')}` } };
}

function readBytes(path: string): Buffer {
  const file = resolve(path);
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) throw new UserError(`There is no picture '${path}'.`);
    // A pipe or a device may never end.
    if (!found.isFile()) throw new UserError(`'${path}' is no picture: it is not a file.`);
    const { size } = found;
    if (size > maxImageBytes) {
      throw new UserError(
        `The picture '${path}' has ${(size / 1024 / 1024).toFixed(1)} MB; at most 15 MB can be sent.`,
        {
          hint: 'Make it smaller first.',
        },
      );
    }
    return readFileSync(file);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`The picture '${path}' cannot be read: ${errorMessage(error)}.`, { cause: error });
  }
}

/** By the first bytes; names of files are often wrong. */
export function pictureType(bytes: Buffer): string | undefined {
  const begins = bytes.toString('latin1', 0, 12);
  if (begins.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(begins)) return 'image/gif';
  if (begins.startsWith('RIFF') && begins.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}
