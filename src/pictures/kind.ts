/** What a picture is, by its first bytes: names of files and what servers say of them are often wrong. */

/** What every provider takes. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type PictureType = (typeof pictureTypes)[number];

/** Undefined for everything else. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  const begins = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(12, bytes.byteLength)).toString('latin1');
  if (begins.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(begins)) return 'image/gif';
  if (begins.startsWith('RIFF') && begins.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}
