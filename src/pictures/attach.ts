/** Pictures that go along with a question (`--image`, `/image`, `/paste`), as they were found: they are made fit when its turn begins. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorMessage, UserError } from '../lib/errors.ts';
import type { ImagePart } from '../llm/message.ts';
import { maxPictureBytes } from './bounds.ts';
import { pictureType } from './kind.ts';
import { partOf } from './part.ts';

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
  return partOf({ bytes, type });
}

function readBytes(path: string): Buffer {
  const file = resolve(path);
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) throw new UserError(`There is no picture '${path}'.`);
    // A pipe or a device may never end.
    if (!found.isFile()) throw new UserError(`'${path}' is no picture: it is not a file.`);
    const { size } = found;
    if (size > maxPictureBytes) {
      throw new UserError(`The picture '${path}' has ${(size / 1024 / 1024).toFixed(1)} MB; at most 50 MB are taken.`, {
        hint: 'Make it smaller first.',
      });
    }
    return readFileSync(file);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`The picture '${path}' cannot be read: ${errorMessage(error)}.`, { cause: error });
  }
}
