/**
 * A picture without what it says beside its pixels (place, camera, names, comments, thumbnails, whatever hangs behind its
 * end), and what its headers say of its size. Nothing is decoded.
 */
import type { PictureType } from './kind.ts';
import type { PlainPicture } from './formats/plain.ts';
import { plainGif } from './formats/gif.ts';
import { plainJpeg } from './formats/jpeg.ts';
import { plainPng } from './formats/png.ts';
import { plainWebp } from './formats/webp.ts';

/** Undefined for bytes that are broken. */
export function plainPicture(bytes: Buffer, type: PictureType): PlainPicture | undefined {
  try {
    const plain = readers[type](bytes);
    return plain === undefined || plain.width < 1 || plain.height < 1 ? undefined : plain;
  } catch (error) {
    // A length that leads beyond the end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const readers: Readonly<Record<PictureType, (bytes: Buffer) => PlainPicture | undefined>> = {
  'image/png': plainPng,
  'image/jpeg': plainJpeg,
  'image/gif': plainGif,
  'image/webp': plainWebp,
};
