/** Pictures as models take them: of a known kind, without what they tell beside their pixels, within bounds. */
import { UserError } from '../lib/errors.ts';
import { maxPictureBytes, maxPixels, maxSentBytes, maxSide } from './bounds.ts';
import { type PictureType, pictureType } from './kind.ts';
import type { EncodedPicture } from './part.ts';
import { plainPicture } from './plain-picture.ts';

export interface Picture extends EncodedPicture {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/**
 * The picture that these bytes are. The same bytes give the same picture, and a picture gives itself. Throws `UserError` for
 * what is none, is broken or is too large (`name` is what it is called in it), and the signal's reason.
 */
export async function fitPicture(bytes: Buffer, name: string, signal: AbortSignal): Promise<Picture> {
  const type = pictureType(bytes);
  if (type === undefined) {
    throw new UserError(`${name} is not a picture that models take.`, { hint: 'Use PNG, JPEG, GIF or WebP.' });
  }
  if (bytes.length > maxPictureBytes) throw tooLarge(name, bytes.length);
  const plain = plainPicture(bytes, type);
  if (plain === undefined) throw new UserError(`${name} is broken: it is no whole ${nameOf(type)} picture.`);
  const { width, height, orientation } = plain;
  if (width * height > maxPixels) {
    throw new UserError(
      `${name} has ${width} × ${height} pixels; at most ${maxPixels / 1_000_000} million can be looked at.`,
      { hint: 'Make it smaller first.' },
    );
  }
  const fits = Math.max(width, height) <= maxSide && plain.bytes.length <= maxSentBytes;
  if (fits && orientation === 1) return { bytes: plain.bytes, type, width, height };
  const { shrink } = await import('./shrink.ts');
  const made = await shrink(plain.bytes, orientation, name, signal);
  return { ...made, bytes: Buffer.from(made.bytes.buffer, made.bytes.byteOffset, made.bytes.byteLength) };
}

function tooLarge(name: string, size: number): UserError {
  const [has, most] = [size, maxPictureBytes].map((bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`);
  return new UserError(`${name} has ${has}; at most ${most} are taken.`, { hint: 'Make it smaller first.' });
}

function nameOf(type: PictureType): string {
  return type.replace('image/', '').toUpperCase();
}
